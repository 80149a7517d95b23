"""Reports as tables on the terminal."""

from collections.abc import Mapping, Sequence

from cookscribe.cli.tables import print_table
from cookscribe.evaluation.dvc_eval import FLAVOURS, METRICS
from cookscribe.evaluation.report import SODA_SCORERS, Report
from cookscribe.evaluation.soda import SODA_FLAVOURS

Table = tuple[str, Sequence[str], Sequence[Sequence[str]]]  # title, columns, rows


def _figure(value: float | None) -> str:
    """A fraction as a percentage; a dash for what was left out."""
    return "-" if value is None else f"{100 * value:.2f}"


def print_report(report: Report) -> None:
    """Everything about one prediction. All figures are percentages, except numbers of events and videos."""
    for table in report_tables(report):
        print_table(*table)


def report_tables(report: Report) -> list[Table]:
    """The tables of one report."""
    place, counts = report.localisation, report.counts
    tables: list[Table] = [
        (
            "dvc_eval",
            ["", *METRICS, "videos"],
            [
                [flavour, *(_figure(report.dvc[flavour].mean(metric)) for metric in METRICS), str(len(report.videos))]
                for flavour in FLAVOURS
            ],
        ),
        (
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
        (
            "Localisation",
            ["tIoU above", *(str(threshold) for threshold in place.per_tiou), "mean"],
            [
                ["precision", *(_figure(pair[0]) for pair in place.per_tiou.values()), _figure(place.precision)],
                ["recall", *(_figure(pair[1]) for pair in place.per_tiou.values()), _figure(place.recall)],
                ["F1", *("" for _ in place.per_tiou), _figure(place.f1)],
            ],
        ),
        (
            "Whole recipe",
            ["", *report.paragraph, "R@4"],
            [["paragraph", *(_figure(value) for value in report.paragraph.values()), _figure(report.repetition)]],
        ),
        (
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
            (
                "Ingredients",
                ["", "precision", "recall", "F1"],
                [["named", _figure(score.precision), _figure(score.recall), _figure(score.f1)]],
            )
        )
    return tables


def print_comparison(reports: Mapping[str, Report]) -> None:
    """Several predictions of the same videos, one row each."""
    for table in comparison_tables(reports):
        print_table(*table)
    print("* sees the truth")


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
        (
            "dvc_eval 2021, SODA released, SODA strict",
            [
                *("", "dvc\nBLEU4", "\nMETEOR", "\nCIDEr"),
                *("SODA\nMETEOR", "\nCIDEr", "\ntIoU", "strict\nMETEOR", "\nCIDEr", "\ntIoU"),
            ],
            captions,
        ),
        (
            "Localisation, whole recipe, number of events" + (", ingredients" if named else ""),
            [
                *("", "place\nprec.", "\nrecall", "\nF1", "para\nBLEU4", "\nMETEOR", "\nCIDEr", "\nR@4"),
                *("steps\nmean", *(["ingr.\nF1"] if named else [])),
            ],
            stories,
        ),
    ]
