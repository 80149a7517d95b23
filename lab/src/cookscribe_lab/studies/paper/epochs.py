"""`cookscribe study epochs`: how the recipes get better while the models of the main table learn."""

import numpy as np

from cookscribe_lab.studies.core.drawings import draw_line_panels
from cookscribe_lab.studies.core.grid import caption, described, plain_label
from cookscribe_lab.studies.core.registry import StudyOptions
from cookscribe_lab.studies.core.tables import Row, as_markdown, write_study
from cookscribe_lab.studies.core.variants import Outcome, VariantRunner
from cookscribe_lab.studies.paper.main import MODELS

SCORE = "soda_cider"
MOST_COLUMNS = 10


def run(options: StudyOptions) -> str:
    """SODA CIDEr-D (strict) of the development videos after each epoch."""
    options.check_only(variant.name for variant in MODELS)
    runner = VariantRunner(options)
    data = runner.data()
    rows, lines, shown = [], {}, []
    for variant, outcomes in runner.finished(MODELS):
        curves = [curve(outcome) for outcome in outcomes]
        common = sorted(set.intersection(*(set(points) for points in curves)))
        values = {epoch: [points[epoch] for points in curves] for epoch in common}
        lines[variant.name] = [
            (float(epoch), float(np.mean(found)), float(np.std(found, ddof=1)) if len(found) > 1 else 0.0)
            for epoch, found in values.items()
        ]
        seeds = tuple(outcome.seed for outcome in outcomes)
        rows.append(Row(variant.name, {f"epoch {epoch}": found for epoch, found in values.items()}, seeds=seeds))
        shown.append(variant)
    note = plain_label(f"epochs: {data.label}; development videos")
    draw_line_panels(options.out / "epochs", {"SODA CIDEr-D, strict": lines}, note, "epoch")
    headings = list(dict.fromkeys(heading for row in rows for heading in row.figures))
    # A long training is shown at equal distances, its last epoch included; the JSON file has them all.
    step = -(-len(headings) // MOST_COLUMNS) if headings else 1
    some = headings[::-1][::step][::-1]
    text = (
        f"{caption(runner, data, shown or MODELS)} Here: strict SODA CIDEr-D of the development videos after each "
        f"epoch. The paper's curve has no printed figures; it needs 30-40 epochs for B and 50 for the others.\n\n"
        f"{as_markdown(rows, data.label, some)}"
    )
    return write_study(options, "epochs", text, rows, **described(runner, shown))


def curve(outcome: Outcome) -> dict[int, float]:
    """The development score by epoch."""
    return {entry["epoch"]: entry["scores"][SCORE] for entry in outcome.history if SCORE in entry["scores"]}
