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
        out: folder of the results; finished parts in it are not done again.
        seeds: how many trainings of each kind.
        smoke: True for the smallest run that still passes through every part; its figures mean nothing.
    """

    data: Path | None
    out: Path
    seeds: int = 3
    smoke: bool = False


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
