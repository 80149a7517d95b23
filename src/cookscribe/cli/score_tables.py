"""Reports as tables on the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from cookscribe.evaluation.dvc_eval import FLAVOURS, METRICS
from cookscribe.evaluation.report import SODA_SCORERS, Report
from cookscribe.evaluation.soda import SODA_FLAVOURS


def _figure(value: float | None) -> str:
    """A fraction as a percentage; a dash for what was left out."""
    return "-" if value is None else f"{100 * value:.2f}"


def _table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    table = Table(
        title=title,
        title_justify="left",
        title_style="bold",
        box=SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        padding=(0, 1, 0, 0),
    )
    for number, column in enumerate(columns):
        table.add_column(column, justify="right" if number else "left", no_wrap=True)
    for row in rows:
        table.add_row(*row)
    return table


def _console() -> Console:
    console = Console(highlight=False)
    # Away from a terminal there is no width to respect, and a wrapped table is hard to read.
    return console if console.is_terminal else Console(highlight=False, width=160)


def print_report(report: Report) -> None:
    """Everything about one prediction. All figures are percentages, except numbers of events and videos."""
    console = _console()
    for table in report_tables(report):
        console.print(table, "")


def report_tables(report: Report) -> list[Table]:
    """The tables of one report."""
    place, counts = report.localisation, report.counts
    tables = [
        _table(
            "dvc_eval",
            ["", *METRICS, "videos"],
            [
                [flavour, *(_figure(report.dvc[flavour].mean(metric)) for metric in METRICS), str(len(report.videos))]
                for flavour in FLAVOURS
            ],
        ),
        _table(
            "SODA",
            ["", *SODA_SCORERS, "videos"],
            [
                [
                    flavour,
                    *(_figure(report.soda_mean(flavour, scorer)) for scorer in SODA_SCORERS),
                    str(report.soda_videos(flavour)),
                ]
                for flavour in SODA_FLAVOURS
            ],
        ),
        _table(
            "Localisation",
            ["tIoU above", *(str(threshold) for threshold in place.per_tiou), "mean"],
            [
                ["precision", *(_figure(pair[0]) for pair in place.per_tiou.values()), _figure(place.precision)],
                ["recall", *(_figure(pair[1]) for pair in place.per_tiou.values()), _figure(place.recall)],
                ["F1", *("" for _ in place.per_tiou), _figure(place.f1)],
            ],
        ),
        _table(
            "Whole recipe",
            ["", *report.paragraph, "R@4"],
            [["paragraph", *(_figure(value) for value in report.paragraph.values()), _figure(report.repetition)]],
        ),
        _table(
            "Number of events p, true number q",
            ["", *(f"|p-q|<={bound}" for bound in counts.within), "mean p", "mean q"],
            [
                [
                    "videos",
                    *(_figure(share) for share in counts.within.values()),
                    f"{counts.mean_predicted:.2f}",
                    f"{counts.mean_truth:.2f}",
                ]
            ],
        ),
    ]
    if report.ingredients is not None:
        score = report.ingredients
        tables.append(
            _table(
                "Ingredients",
                ["", "precision", "recall", "F1"],
                [["named", _figure(score.precision), _figure(score.recall), _figure(score.f1)]],
            )
        )
    return tables


def print_comparison(reports: Mapping[str, Report]) -> None:
    """Several predictions of the same videos, one row each."""
    console = _console()
    for table in comparison_tables(reports):
        console.print(table, "")
    console.print("* sees the truth")


def comparison_tables(reports: Mapping[str, Report]) -> list[Table]:
    """Two tables, each narrow enough for a terminal."""
    captions = [
        [
            name,
            *(_figure(report.dvc["2021"].mean(metric)) for metric in ("BLEU4", "METEOR", "CIDEr")),
            *(_figure(report.soda_mean(flavour, scorer)) for flavour in SODA_FLAVOURS for scorer in SODA_SCORERS),
        ]
        for name, report in reports.items()
    ]
    stories = [
        [
            name,
            *(_figure(v) for v in (report.localisation.precision, report.localisation.recall, report.localisation.f1)),
            *(_figure(report.paragraph[metric]) for metric in ("BLEU4", "METEOR", "CIDEr")),
            _figure(report.repetition),
            f"{report.counts.mean_predicted:.2f}",
            *([] if report.ingredients is None else [_figure(report.ingredients.f1)]),
        ]
        for name, report in reports.items()
    ]
    named = any(report.ingredients is not None for report in reports.values())
    return [
        _table(
            "dvc_eval 2021, SODA released, SODA strict",
            [
                *("", "dvc\nBLEU4", "\nMETEOR", "\nCIDEr"),
                *("SODA\nMETEOR", "\nCIDEr", "\ntIoU", "strict\nMETEOR", "\nCIDEr", "\ntIoU"),
            ],
            captions,
        ),
        _table(
            "Localisation, whole recipe, number of events" + (", ingredients" if named else ""),
            [
                *("", "place\nprec.", "\nrecall", "\nF1", "para\nBLEU4", "\nMETEOR", "\nCIDEr", "\nR@4"),
                *("steps\nmean", *(["ingr.\nF1"] if named else [])),
            ],
            stories,
        ),
    ]
