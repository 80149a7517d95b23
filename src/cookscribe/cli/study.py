"""`cookscribe study`: the tables of the paper and our own, each as one command."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import typer

from cookscribe.studies.registry import STUDIES, Study, StudyOptions

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
        seeds: int = typer.Option(3, "--seeds", min=1, help="Trainings of each kind."),
        out: Path = typer.Option(Path("runs") / study.name, "--out", help="Folder of the results."),
        smoke: bool = typer.Option(False, "--smoke", help="The smallest run through all parts; figures mean nothing."),
    ) -> None:
        print(study.run(StudyOptions(data=data, out=out, seeds=seeds, smoke=smoke)))

    command.__doc__ = study.explanation
    return command


for _study in STUDIES:
    study_app.command(name=_study.name)(_command(_study))
