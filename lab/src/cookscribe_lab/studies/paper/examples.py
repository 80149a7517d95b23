"""`cookscribe study examples`: recipes side by side on a time line: the truth, the oracle, PDVC, B and BIVT.

The videos are drawn by their ids, not by how well they went.
"""

import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cookscribe.evaluation.events import Events
from cookscribe.evaluation.soda import soda
from cookscribe.export.clock import clock
from cookscribe.learning.datasets.splits import ranked
from cookscribe_lab.studies.core.drawings import INK, PALETTE, draw_lane, new_figure, save_figure
from cookscribe_lab.studies.core.grid import caption, described, plain_label
from cookscribe_lab.studies.core.plain_rows import ORACLE, PDVC, plain_outcome
from cookscribe_lab.studies.core.registry import StudyOptions
from cookscribe_lab.studies.core.report import markdown_table
from cookscribe_lab.studies.core.tables import Row, write_study
from cookscribe_lab.studies.core.variants import VariantRunner
from cookscribe_lab.studies.paper.main import MODELS

VIDEOS = 3
SHOWN = tuple(variant for variant in MODELS if variant.letters in ("b", "bivt"))
TRUTH = "truth"
COLUMN = 34  # characters of a column of sentences in the picture


def run(options: StudyOptions) -> str:
    """Recipes of some validation videos, as tables and pictures."""
    options.check_only(variant.name for variant in SHOWN)
    runner = VariantRunner(options)
    data = runner.data()
    told: dict[str, Mapping[str, Events]] = {
        TRUTH: data.truth,
        ORACLE: plain_outcome(runner, data, ORACLE).recipes,
        PDVC: plain_outcome(runner, data, PDVC).recipes,
    }
    for variant, outcomes in runner.finished(SHOWN):
        told[variant.name] = outcomes[0].recipes
    parts = [f"{caption(runner, data, SHOWN)} Recipes are those of seed 0; the n-th steps stand side by side."]
    rows: list[Row] = []
    drawn: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for key in ranked(data.videos, "examples")[:VIDEOS]:
        recipes = {name: events[key].by_start() for name, events in told.items()}
        title = f"{key}: {', '.join(data.videos[key].ingredients) or 'ingredients unknown'}"
        name = "examples" if not drawn else f"examples-{len(drawn) + 1}"
        draw_recipes(options.out / name, title, data.videos[key].duration, recipes, plain_label(data.label))
        parts.append(f"**{title}** ({name}.png)\n\n{side_by_side(recipes)}")
        for who, events in recipes.items():
            if who != TRUTH:
                score = soda({key: recipes[TRUTH]}, {key: events}, "tIoU", "strict")
                rows.append(Row(f"{key}, {who}", {"SODA tIoU": [score]}))
        drawn[key] = {
            who: [
                {"span": span.tolist(), "sentence": text}
                for span, text in zip(events.spans, events.sentences, strict=True)
            ]
            for who, events in recipes.items()
        }
    return write_study(options, "examples", "\n\n".join(parts), rows, recipes=drawn, **described(runner, SHOWN))


def side_by_side(recipes: Mapping[str, Events]) -> str:
    """A Markdown table, one column per recipe; the n-th steps stand side by side, whatever their times."""
    longest = max(len(events) for events in recipes.values())
    lines = []
    for n in range(longest):
        line = {"": str(n + 1)}
        for name, events in recipes.items():
            cell = ""
            if n < len(events):
                start, end = events.spans[n]
                cell = f"{clock(start)}-{clock(end)} {events.sentences[n]}"
            line[name] = cell.replace("|", "/")
        lines.append(line)
    return markdown_table(lines)


def draw_recipes(stem: Path, title: str, duration: float, recipes: Mapping[str, Events], note: str) -> None:
    """A time line with numbered events above, the numbered sentences in columns below."""
    columns = {name: _written(events) for name, events in recipes.items()}
    depth = max(len(lines) for lines in columns.values())
    lanes = 0.42 * len(recipes) + 0.7
    figure = new_figure(3.1 * len(recipes), lanes + 0.4 + 0.145 * depth)
    top, bottom = figure.subplots(2, 1, height_ratios=(lanes, 0.145 * depth + 0.2))
    for row, (name, events) in enumerate(recipes.items()):
        middles = draw_lane(top, row, events.spans, INK if name == TRUTH else PALETTE[row % len(PALETTE)])
        if len({height for _, height in middles}) <= 3:
            for n, (place, height) in enumerate(middles, 1):
                top.text(place, height, str(n), ha="center", va="center", fontsize=6, color="white")
    top.set_yticks(range(len(recipes)), list(recipes))
    top.set_ylim(len(recipes) - 0.5, -0.5)
    top.set_xlim(0, duration)
    top.set_xlabel("seconds", fontsize=8)
    top.tick_params(labelsize=8)
    top.spines[["top", "right", "left"]].set_visible(False)
    top.set_title("\n".join(textwrap.wrap(f"{title} ({note})", 44 * len(recipes))), fontsize=8, loc="left")
    bottom.axis("off")
    for number, (name, lines) in enumerate(columns.items()):
        colour = INK if name == TRUTH else PALETTE[number % len(PALETTE)]
        place = number / len(columns)
        bottom.text(place, 1.0, name, fontsize=8, weight="bold", color=colour, va="top", transform=bottom.transAxes)
        bottom.text(
            place, 1.0, "\n" + "\n".join(lines), fontsize=7, va="top", family="monospace", transform=bottom.transAxes
        )
    save_figure(figure, stem)


def _written(events: Events) -> list[str]:
    lines: list[str] = []
    for n, text in enumerate(events.sentences, 1):
        lines += textwrap.wrap(f"{n} {text}", COLUMN, subsequent_indent="  ", break_long_words=True) or [f"{n} -"]
    return lines
