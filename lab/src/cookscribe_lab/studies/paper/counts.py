"""`cookscribe study counts`: is the number of steps right? It reads the recipes of the main table."""

from collections.abc import Mapping, Sequence
from typing import Any

from cookscribe_lab.studies.core.drawings import draw_histograms
from cookscribe_lab.studies.core.grid import caption, described, plain_label
from cookscribe_lab.studies.core.plain_rows import NMS, PDVC, plain_outcome
from cookscribe_lab.studies.core.registry import StudyOptions
from cookscribe_lab.studies.core.tables import Row, as_markdown, figures_of, write_study
from cookscribe_lab.studies.core.variants import VariantRunner
from cookscribe_lab.studies.paper import paper
from cookscribe_lab.studies.paper.main import MODELS, variants_of

TOLERANCES = (0, 1, 2, 3)
PLACES: dict[str, tuple[str, ...]] = {
    **{f"off by ≤ {bound}": ("counts", "within", str(bound)) for bound in TOLERANCES},
    "mean events": ("counts", "mean_predicted"),
    "true mean": ("counts", "mean_truth"),
}


def run(options: StudyOptions) -> str:
    """Shares of recipes with nearly as many events as the truth, and the histogram."""
    options.check_only(variant.name for variant in variants_of(options.preset))
    runner = VariantRunner(options)
    data = runner.data()
    rows, told = [], {}
    for name in (PDVC, NMS):
        report = plain_outcome(runner, data, name).report
        rows.append(Row(name, figures_of([report], PLACES), _printed(name)))
        told[name] = histogram([report], "predicted")
        truth = histogram([report], "truth")
    shown = []
    for variant, outcomes in runner.finished(variants_of(options.preset)):
        reports = [outcome.report for outcome in outcomes]
        seeds = tuple(outcome.seed for outcome in outcomes)
        rows.append(Row(variant.name, figures_of(reports, PLACES), _printed(variant.name), seeds))
        told[variant.name] = histogram(reports, "predicted")
        shown.append(variant)
    note = plain_label(f"counts: {data.label}; videos by number of events, mean over seeds")
    draw_histograms(options.out / "counts", truth, told, note)
    text = f"{caption(runner, data, shown or MODELS)}\n\n{as_markdown(rows, data.label, tuple(PLACES))}"
    histograms = {
        name: {str(n): count for n, count in counts.items()} for name, counts in {"truth": truth, **told}.items()
    }
    return write_study(options, "counts", text, rows, histograms=histograms, **described(runner, shown))


def histogram(reports: Sequence[Mapping[str, Any]], which: str) -> dict[int, float]:
    """Videos by number of events, mean over reports."""
    total: dict[int, float] = {}
    for report in reports:
        for number, videos in report["counts"]["histogram"][which].items():
            total[int(number)] = total.get(int(number), 0.0) + videos / len(reports)
    return dict(sorted(total.items()))


def _printed(name: str) -> dict[str, float]:
    return dict(zip(PLACES, paper.COUNTS.get(name, ()), strict=False))
