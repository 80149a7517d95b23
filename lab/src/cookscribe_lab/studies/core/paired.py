"""Is one row better than another? Paired over videos: the mean difference, with a bootstrap interval over videos."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from cookscribe.evaluation.caption_pairs import CaptionPairs
from cookscribe.evaluation.events import Events, align
from cookscribe.evaluation.pairing import pair_videos
from cookscribe.evaluation.soda import SodaScorer, soda_scores
from cookscribe_lab.studies.core.report import bootstrap_interval, markdown_table
from cookscribe_lab.studies.core.variants import Scored

FIGURES: tuple[SodaScorer, ...] = ("CIDEr", "tIoU")

# Videos' scores by figure: (V,) each, x 100, mean over the trainings of a row.
Stories = Mapping[str, NDArray[np.float64]]


def stories(truth: Mapping[str, Events], trainings: Sequence[Scored]) -> Stories:
    """SODA (strict) of every video, in the order of `truth`, as a row's trainings tell them on average."""
    each = []
    for training in trainings:
        videos = align(truth, training.recipes)
        each.append(soda_scores(CaptionPairs(videos, pair_videos(videos), ""), "strict"))
    return {name: 100 * np.mean([scores[name] for scores in each], axis=0) for name in FIGURES}


def compared(
    truth: Mapping[str, Events],
    rows: Mapping[str, Sequence[Scored]],
    pairs: Sequence[tuple[str, str]],
    *,
    places: bool = True,
) -> tuple[str, list[dict[str, object]]]:
    """For each pair of rows how much the first is above the second: a table, and the figures.

    Args:
        truth: true events of the videos that all rows tell.
        rows: the trainings of each row; pairs that name a row without any are left out.
        places: False where all rows have the same events: only what is said is compared.
    """
    known = {name: stories(truth, found) for name, found in rows.items() if found}
    lines, figures = [], []
    for better, worse in pairs:
        if better not in known or worse not in known:
            continue
        line = {"is the first better?": f"{better} over {worse}"}
        for name in FIGURES if places else FIGURES[:1]:
            difference = known[better][name] - known[worse][name]
            low, high = bootstrap_interval(difference)
            verdict = "yes" if low > 0 else "worse" if high < 0 else "not certain"
            line[f"strict SODA {name}"] = f"{difference.mean():+.2f} ({low:+.2f} to {high:+.2f}): {verdict}"
            interval = [low, high]
            figures.append(
                {"first": better, "second": worse, "figure": name, "mean": difference.mean(), "interval": interval}
            )
        lines.append(line)
    if not lines:
        return "", []
    told = "Paired over videos, mean over the seeds of each row, with 95 % bootstrap intervals over videos.\n\n"
    return f"\n{told}{markdown_table(lines)}", figures
