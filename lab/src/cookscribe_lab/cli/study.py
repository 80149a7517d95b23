"""`cookscribe study`: the tables of the paper and our own, each as one command."""

import inspect
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Any

import typer

from cookscribe_lab.studies.core.registry import STUDIES, Study, StudyOptions

study = typer.Typer(
    help="Run a study; finished parts are kept, the same command goes on after an interrupt.", no_args_is_help=True
)


class Preset(StrEnum):
    """Designs and sizes of models."""

    SMALL = "small"
    FAITHFUL = "faithful"
    PAPER = "paper"


# Every option of `StudyOptions`; a study's command has those that the study reads.
OPTIONS: dict[str, tuple[Any, Any]] = {
    "data": (Path, typer.Option(None, envvar="COOKSCRIBE_DATA", help="Folder of the YouCook2 files (docs/data.md).")),
    "features": (Path, typer.Option(None, help="Feature tracks, or one folder of them per encoder; else simulated.")),
    "candidates": (Path, typer.Option(None, help="Ready-made candidates (training_n25.safetensors, ...).")),
    "preset": (Preset, typer.Option(Preset.SMALL, help="Ours; the paper's design, smaller; the paper's.")),
    "events": (int, typer.Option(0, min=0, help="Candidates per video, N; 0 takes 25, for preset paper 100.")),
    "veil": (
        float,
        typer.Option(
            0.0, min=0, max=1, help="Hide foods in later steps, so that what came before must be known (simulated)."
        ),
    ),
    "seeds": (int, typer.Option(3, min=1, help="Trainings of each kind.")),
    "first_seed": (int, typer.Option(0, min=0, help="Seed of the first training, to train others side by side.")),
    "videos": (int, typer.Option(0, min=0, help="Learn from this many videos only; 0 takes all.")),
    "epochs": (int, typer.Option(0, min=0, help="Of the recipe models; 0 takes the preset's.")),
    "batch_size": (int, typer.Option(0, min=0, help="Of the recipe models; 0 takes the preset's.")),
    "proposal_epochs": (int, typer.Option(0, min=0, help="Of the proposal models; 0 takes the preset's.")),
    "only": (list[str], typer.Option([], help="This row only (may be given again); finished rows are shown.")),
    "captions": (bool, typer.Option(True, help="What candidates say, too; without it takes half of the time.")),
    "meteor": (bool, typer.Option(True, help="METEOR too; without it no Java is started.")),
    "true_events": (
        bool,
        typer.Option(False, "--true-events", help="Give the models the true events: judge the sentences alone."),
    ),
    "writer": (Path, typer.Option(None, help="Folder of a language model's adapters: judge its sentences.")),
    "bundle": (
        list[str],
        typer.Option([], help="Judge this bundle as it is: a shipped one's name, or a folder (again for others)."),
    ),
    "development": (
        bool,
        typer.Option(False, "--development", help="Judge training videos kept apart (stills: with --writer)."),
    ),
    "out": (Path, typer.Option(None, help="Folder of the results; `runs/NAME` if left out.")),
    "work": (Path, typer.Option(None, help="Folder of finished parts, which studies share; `work` beside --out.")),
    "smoke": (bool, typer.Option(False, "--smoke", help="The smallest run through all parts; figures mean nothing.")),
}


@study.command(name="list")
def list_studies() -> None:
    """Print the studies."""
    widest = max(len(study.name) for study in STUDIES)
    for study in STUDIES:
        print(f"{study.name:{widest}}  {study.explanation}")


def _command(study: Study) -> Callable[..., None]:
    def command(**given: Any) -> None:
        given["out"] = given["out"] or Path("runs") / study.name
        given |= {name: tuple(value) for name, value in given.items() if isinstance(value, list)}
        print(study.run(StudyOptions(**given)))

    offered = {name: OPTIONS[name] for name in OPTIONS if name in study.options}
    command.__doc__ = study.explanation
    command.__annotations__ = {name: kind for name, (kind, _) in offered.items()}
    command.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=option, annotation=kind)
            for name, (kind, option) in offered.items()
        ]
    )
    return command


for _study in STUDIES:
    study.command(name=_study.name)(_command(_study))
