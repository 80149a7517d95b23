"""From rows to files: Markdown with the paper's row beneath ours, JSON with every figure, and a picture."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cookscribe.errors import BadValueError
from cookscribe.evaluation.report import figure_at
from cookscribe.files import write_json, write_text
from cookscribe_lab.studies.core.registry import StudyOptions, find_study
from cookscribe_lab.studies.core.report import markdown_table, mean_and_deviation, surroundings

# Where a figure stands in a report, by its heading. "SODA" is the released flavour, which the papers print, except that
# a video without any event counts as 0 in the tIoU.
FIGURES: dict[str, tuple[str, ...]] = {
    "dvc BLEU4": ("dvc_eval", "2021", "BLEU4"),
    "dvc METEOR": ("dvc_eval", "2021", "METEOR"),
    "dvc CIDEr-D": ("dvc_eval", "2021", "CIDEr"),
    "SODA METEOR": ("soda", "released", "METEOR"),
    "SODA CIDEr-D": ("soda", "released", "CIDEr"),
    "SODA tIoU": ("soda", "strict", "tIoU"),
    "strict METEOR": ("soda", "strict", "METEOR"),
    "strict CIDEr-D": ("soda", "strict", "CIDEr"),
    "ingredient F1": ("ingredients", "f1"),
    "steps": ("counts", "mean_predicted"),
}
# Those that say something where the events are given.
OF_SENTENCES = {heading: place for heading, place in FIGURES.items() if heading not in ("SODA tIoU", "steps")}


@dataclass(frozen=True)
class Row:
    """One line of a table.

    Attributes:
        name: of the row.
        figures: by heading, one value per training; figures in percent.
        paper: the paper's values.
        seeds: of the trainings; empty where nothing is trained.
    """

    name: str
    figures: Mapping[str, Sequence[float]]
    paper: Mapping[str, float] = field(default_factory=dict)
    seeds: tuple[int, ...] = ()

    def shown(self, heading: str, digits: int = 2) -> str:
        """Mean and standard deviation over the seeds, or a dash."""
        values = self.figures.get(heading, ())
        return mean_and_deviation(values, digits) if len(values) else "-"

    def mean(self, heading: str) -> float:
        """Mean over the seeds; not a number where there is none."""
        values = self.figures.get(heading, ())
        return float(np.mean(values)) if len(values) else math.nan

    def deviation(self, heading: str) -> float:
        """Standard deviation over the seeds; 0 for a single one."""
        values = self.figures.get(heading, ())
        return float(np.std(values, ddof=1)) if len(values) > 1 else 0.0

    def as_json(self) -> dict[str, Any]:
        """Every figure of every seed, and what follows from them."""
        return {
            "name": self.name,
            "seeds": list(self.seeds),
            "figures": {
                heading: {
                    "values": [float(value) for value in values],
                    "mean": self.mean(heading),
                    "deviation": self.deviation(heading),
                }
                for heading, values in self.figures.items()
                if len(values)
            },
            "paper": dict(self.paper),
        }


def figures_of(
    reports: Sequence[Mapping[str, Any]], places: Mapping[str, tuple[str, ...]] = FIGURES
) -> dict[str, list[float]]:
    """The figures of several reports by heading; what one of them left out (METEOR) is not there.

    A mean over some of the trainings would not be comparable with the figures beside it.
    """
    found: dict[str, list[float]] = {}
    for heading, place in places.items():
        values = [value for report in reports if (value := figure_at(report, place)) is not None]
        if values and len(values) == len(reports):
            found[heading] = values
    return found


def as_markdown(rows: Sequence[Row], heading: str, figures: Sequence[str], digits: int = 2) -> str:
    """The table; the paper's values stand in a line of their own beneath a row that has any, or alone.

    Args:
        heading: of the first column: the features' name.
        figures: headings of the others; those no row has are left out, and so are rows without any of them.
        digits: behind the point.
    """
    present = [name for name in figures if any(name in row.figures for row in rows)]
    lines = []
    for row in rows:
        ours, quoted = (any(name in found for name in present) for found in (row.figures, row.paper))
        if ours:
            lines.append({heading: row.name, **{name: row.shown(name, digits) for name in present}})
        if quoted:
            values = {name: f"*{row.paper[name]:.{digits}f}*" if name in row.paper else "" for name in present}
            lines.append({heading: "*the paper's*" if ours else f"*{row.name}, the paper's*", **values})
    return markdown_table(lines)


def write_study(options: StudyOptions, name: str, text: str, rows: Sequence[Row], **content: Any) -> str:
    """Write `NAME.md` and `NAME.json` into the results folder; returns the Markdown.

    Args:
        text: Markdown: caption and table.
        content: what the JSON file holds beside rows, options and surroundings.
    """
    if not rows:
        raise BadValueError("--only", "names no row of this study, and none is finished", "see the study's table")
    read = find_study(name).options
    settings = {key: _plain(value) for key, value in vars(options).items() if key in read}
    write_json(
        options.out / f"{name}.json",
        {
            "study": name,
            "smoke": options.smoke,
            "options": settings,
            "surroundings": surroundings(),
            "rows": [row.as_json() for row in rows],
            **content,
        },
    )
    if options.smoke:
        text = f"A smoke run: these figures mean nothing.\n\n{text}"
    write_text(options.out / f"{name}.md", text)
    return text


def _plain(value: object) -> object:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return list(value) if isinstance(value, tuple) else str(value)
