"""A study that is a list of variants: train all, one row each, a table, a picture."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from cookscribe_lab.studies.core.drawings import SODA_FIGURES, draw_line_panels, draw_rows
from cookscribe_lab.studies.core.paired import compared
from cookscribe_lab.studies.core.registry import StudyOptions
from cookscribe_lab.studies.core.study_data import StudyData
from cookscribe_lab.studies.core.tables import FIGURES, OF_SENTENCES, Row, as_markdown, figures_of, write_study
from cookscribe_lab.studies.core.variants import Variant, VariantRunner, resolved

LETTERS = ("b", "biv", "bivt")  # the paper's detailed studies leave BI out
SENTENCE_FIGURES = ("SODA METEOR", "SODA CIDEr-D", "ingredient F1")  # drawn where the events are given


@dataclass(frozen=True)
class Grid:
    """A study of variants.

    Attributes:
        name: of the study.
        variants: its rows.
        across: what the numbers mean that the rows are placed at, if the study is about a number; its picture has lines
            then, one per model.
        places: the number of each row.
    """

    name: str
    variants: tuple[Variant, ...]
    across: str = ""
    places: tuple[float, ...] = ()


def with_true_events(grid: Grid) -> Grid:
    """The same study of sentences for the true events; the paper's figures are for events that a model chose."""
    given = (
        variant.model_copy(update={"data": variant.data.model_copy(update={"true_events": True}), "paper": {}})
        for variant in grid.variants
    )
    return replace(grid, variants=tuple(given))


def without_planner(grid: Grid) -> Grid:
    """The same study of models that choose one event after another and know no other way."""
    plain = (variant.model_copy(update={"model": {"planner": False} | variant.model}) for variant in grid.variants)
    return replace(grid, variants=tuple(plain))


def run_grid(options: StudyOptions, grid: Grid) -> str:
    """Train what is missing and write the study's files; returns the Markdown."""
    options.check_only(variant.name for variant in grid.variants)
    runner = VariantRunner(options)
    # Seed by seed, so that an interrupted study has all rows, not all seeds of one.
    for seed in options.trainings:
        for variant in grid.variants:
            if options.wants(variant.name):
                runner.outcome(variant, seed)
    rows, placed, told_by = [], [], {}
    for number, variant in enumerate(grid.variants):
        outcomes = runner.outcomes(variant)
        if outcomes:
            figures = figures_of([outcome.report for outcome in outcomes])
            rows.append(Row(variant.name, figures, variant.paper, tuple(outcome.seed for outcome in outcomes)))
            placed.append(number)
            told_by[variant.name] = outcomes
    shown = [grid.variants[number] for number in placed]
    given = all(variant.data.true_events for variant in grid.variants)
    heading = ", ".join(_labels(runner, shown))
    drawn = SENTENCE_FIGURES if given else SODA_FIGURES
    note = plain_label(f"{grid.name}: {heading}{' (a smoke run: this means nothing)' if options.smoke else ''}")
    if rows and grid.across:
        panels: dict[str, dict[str, list[tuple[float, float, float]]]] = {}
        for number, row in zip(placed, rows, strict=True):
            for figure in drawn:
                if figure in row.figures:
                    point = (grid.places[number], row.mean(figure), row.deviation(figure))
                    lines = panels.setdefault(figure, {})
                    lines.setdefault(grid.variants[number].letters.upper(), []).append(point)
        draw_line_panels(
            options.out / grid.name, panels, note, grid.across, ticks=sorted({grid.places[n] for n in placed})
        )
    elif rows:
        draw_rows(options.out / grid.name, rows, note, drawn)
    told = f"{captions(runner, shown)}{_incomplete(options, grid, rows)}" if rows else ""
    truth = runner.data(shown[0].data).truth if shown else {}
    headings = OF_SENTENCES if given else FIGURES
    paired, comparisons = compared(truth, told_by, _pairs(shown), places=not given)
    text = f"{told}\n\n{as_markdown(rows, heading, tuple(headings))}{paired}"
    return write_study(options, grid.name, text, rows, paired=comparisons, **described(runner, shown))


def _pairs(variants: Sequence[Variant]) -> list[tuple[str, str]]:
    """Every row over the first one of the same model."""
    first: dict[str, str] = {}
    for variant in variants:
        first.setdefault(variant.letters, variant.name)
    return [(one.name, first[one.letters]) for one in variants if first[one.letters] != one.name]


def captions(runner: VariantRunner, variants: Sequence[Variant]) -> str:
    """What the table stands on; of several kinds of data the first one's videos, for all have the same."""
    plans = {resolved(runner.run_of(variant, 0))["model"]["planner"] for variant in variants}
    planner = " Models without planner." if plans == {False} else ""
    return caption(runner, runner.data(variants[0].data), variants) + planner


def caption(runner: VariantRunner, data: StudyData, variants: Sequence[Variant]) -> str:
    """A paragraph above the table: features, candidates, videos, epochs, seeds; so that no figure stands alone."""
    options = runner.options
    rest, held_out = data.material.split(runner.run_of(variants[0], 0).development)
    features = ", ".join(_labels(runner, variants))
    counts = sorted({runner.choice(variant.data).events for variant in variants})
    fold = " or ".join(sorted({runner.data(variant.data).fold for variant in variants}))
    epochs = sorted({runner.run_of(variant, 0).training_config().epochs for variant in variants})
    batch = runner.run_of(variants[0], 0).training_config().batch_size
    # All of the paper's tables but the one about N are for 100 candidates.
    printed = "real features" if len(counts) > 1 or counts == [100] else "real features and N = 100"
    offered = f"Candidates: N = {_list(counts)} for each video, those of training videos {fold}."
    quoted = f" *The paper's* rows are for {printed}."
    if all(variant.data.true_events for variant in variants):
        offered, quoted = "The events are the true ones.", ""
    return (
        f"Features: {features}. {offered} "
        f"Preset `{options.preset}`; {_several(epochs, 'epoch')} on {len(rest):,} videos of the training split "
        f"in batches of {batch}, weights chosen on {len(held_out)} others of it; figures on {len(data.videos)} "
        f"validation videos, mean ± standard deviation over {_several([options.seeds], 'seed')}. Figures x 100, "
        f"except steps. SODA is the released flavour unless it says strict.{quoted}"
    )


def described(runner: VariantRunner, variants: Sequence[Variant]) -> dict[str, Any]:
    """What the JSON file says about how the rows were made."""
    return {
        "features": sorted({plain_label(runner.data(variant.data).label) for variant in variants}),
        "simulated": any(runner.data(variant.data).material.simulated for variant in variants),
        "seeds": list(runner.options.trainings),
        "data": {
            data.mark: {
                **data.choice.model_dump(mode="json"),
                "fold": data.fold,
                "training_videos": len(data.material.videos),
                "validation_videos": len(data.videos),
            }
            for data in runner.opened.values()
        },
        "configuration": {
            variant.name: {
                "data": runner.data(variant.data).mark,
                "decoding": variant.decoding,
                **resolved(runner.run_of(variant, runner.options.first_seed)),
            }
            for variant in variants
        },
    }


def _labels(runner: VariantRunner, variants: Sequence[Variant]) -> list[str]:
    """The features' names, each once."""
    return list(dict.fromkeys(runner.data(variant.data).label for variant in variants))


def _incomplete(options: StudyOptions, grid: Grid, rows: Sequence[Row]) -> str:
    """What the table lacks: seeds of its rows, and rows."""
    fewer = [f"{row.name} ({_several([len(row.seeds)], 'seed')})" for row in rows if len(row.seeds) < options.seeds]
    shown = {row.name for row in rows}
    missing = [variant.name for variant in grid.variants if variant.name not in shown]
    text = f" Fewer trainings: {'; '.join(fewer)}." if fewer else ""
    return f"{text} Not run: {'; '.join(missing)}." if missing else text


def plain_label(label: str) -> str:
    """Without Markdown's marks, for pictures and JSON."""
    return label.replace("*", "").replace("`", "")


def _several(numbers: Sequence[int], noun: str) -> str:
    return f"{_list(numbers)} {noun}{'s' if max(numbers) > 1 else ''}"


def _list(numbers: Sequence[int]) -> str:
    return " / ".join(map(str, numbers))
