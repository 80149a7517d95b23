"""`cookscribe study`: the tables of the paper and our own, each as one command."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import typer

from cookscribe_lab.studies.core.registry import STUDIES, Study, StudyOptions

study_app = typer.Typer(
    help="Run a study; finished parts are kept, the same command goes on after an interrupt.", no_args_is_help=True
)


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.add_typer(study_app, name="study")


@study_app.command(name="list")
def list_studies() -> None:
    """Print the studies."""
    widest = max(len(study.name) for study in STUDIES)
    for study in STUDIES:
        print(f"{study.name:{widest}}  {study.explanation}")


def _command(study: Study) -> Callable[..., None]:
    def command(
        data: Path = typer.Option(
            None, "--data", envvar="COOKSCRIBE_DATA", help="Folder of the YouCook2 files (docs/data.md)."
        ),
        features: Path = typer.Option(
            None, "--features", help="Feature tracks, or one folder of them per encoder. Simulated if left out."
        ),
        candidates: Path = typer.Option(
            None, "--candidates", help="Ready-made candidates (training_n25.safetensors, ...). Trained for if left out."
        ),
        preset: str = typer.Option("small", "--preset", help="small or paper: the size of all models."),
        seeds: int = typer.Option(3, "--seeds", min=1, help="Trainings of each kind."),
        videos: int = typer.Option(0, "--videos", min=0, help="Learn from this many videos only; 0 takes all."),
        epochs: int = typer.Option(0, "--epochs", min=0, help="Of the recipe models; 0 takes the preset's."),
        batch_size: int = typer.Option(0, "--batch-size", min=0, help="Of the recipe models; 0 takes the preset's."),
        proposal_epochs: int = typer.Option(
            0, "--proposal-epochs", min=0, help="Of the proposal models; 0 takes the preset's."
        ),
        only: list[str] = typer.Option(
            [], "--only", help="Train this row only (may be given again); finished rows are shown too."
        ),
        no_captions: bool = typer.Option(
            False, "--no-captions", help="Study `oracle`: leave out what candidates say, which takes half of the time."
        ),
        no_meteor: bool = typer.Option(False, "--no-meteor", help="Leave METEOR out; no Java is started."),
        out: Path = typer.Option(Path("runs") / study.name, "--out", help="Folder of the results."),
        work: Path = typer.Option(
            None, "--work", help="Folder of finished parts, which studies share; `work` beside --out if left out."
        ),
        smoke: bool = typer.Option(False, "--smoke", help="The smallest run through all parts; figures mean nothing."),
    ) -> None:
        from cookscribe.errors import BadValueError

        if preset not in ("small", "paper"):
            raise BadValueError("--preset", f"there is no preset {preset!r}", "choose small or paper")
        options = StudyOptions(
            data=data,
            out=out,
            seeds=seeds,
            smoke=smoke,
            features=features,
            candidates=candidates,
            preset=preset,
            videos=videos,
            epochs=epochs,
            batch_size=batch_size,
            proposal_epochs=proposal_epochs,
            captions=not no_captions,
            meteor=not (no_meteor or smoke),
            only=tuple(only),
            work=work,
        )
        print(study.run(options))

    command.__doc__ = study.explanation
    return command


for _study in STUDIES:
    study_app.command(name=_study.name)(_command(_study))
