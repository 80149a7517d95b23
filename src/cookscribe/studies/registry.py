"""The studies by name. A study joins by one entry here; its module is imported only when it runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from cookscribe.errors import BadValueError


@dataclass(frozen=True)
class StudyOptions:
    """What every study is told.

    Attributes:
        data: folder of the YouCook2 files, or None for studies that need none.
        out: folder of the results: NAME.md, NAME.json, pictures.
        seeds: how many trainings of each kind.
        smoke: True for the smallest run that still passes through every part; its figures mean nothing.
        features: feature tracks of the videos, or a folder with one such folder per encoder; None simulates them.
        candidates: folder with ready-made candidates, `training_n25.safetensors`, `validation_n25.safetensors` and so
            on for other N; None trains the proposal model.
        preset: "small" or "paper", the size of all models.
        videos: how many training videos; 0 takes all.
        epochs: of the recipe models; 0 takes the preset's.
        proposal_epochs: of the proposal models; 0 takes the preset's.
        meteor: ask METEOR too (Java).
        only: train these rows only; rows that are finished already are shown all the same. Empty for all.
        work: folder of finished parts, which studies share; beside `out` if None.
    """

    data: Path | None
    out: Path
    seeds: int = 3
    smoke: bool = False
    features: Path | None = None
    candidates: Path | None = None
    preset: str = "small"
    videos: int = 0
    epochs: int = 0
    proposal_epochs: int = 0
    meteor: bool = True
    only: tuple[str, ...] = ()
    work: Path | None = None

    @property
    def parts(self) -> Path:
        """Where finished parts are kept."""
        return self.work if self.work is not None else self.out.parent / "work"


@dataclass(frozen=True)
class Study:
    """A study.

    Attributes:
        name: on the command line.
        explanation: one line.
        place: "module:function" of what runs it: takes `StudyOptions`, returns the table as Markdown.
    """

    name: str
    explanation: str
    place: str

    def run(self, options: StudyOptions) -> str:
        """Run it and return its table."""
        module, _, function = self.place.partition(":")
        runner: Callable[[StudyOptions], str] = getattr(import_module(module), function)
        return runner(options)


STUDIES: tuple[Study, ...] = (
    Study(
        "real-candidates",
        "Choose events from the published PDVC candidates, cross-validated inside the validation split.",
        "cookscribe.studies.real_candidates:run",
    ),
)


def find_study(name: str) -> Study:
    """The study called `name`."""
    for study in STUDIES:
        if study.name == name:
            return study
    raise BadValueError(name, "is not a study", f"choose one of {', '.join(study.name for study in STUDIES)}")
