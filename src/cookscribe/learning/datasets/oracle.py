"""Oracle labels: which candidate event stands for which true step."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from cookscribe.candidates import tiou_matrix
from cookscribe.errors import BadValueError

OracleRule = Literal["paper", "story"]


def oracle_labels(
    truth_spans: NDArray[np.floating], candidate_spans: NDArray[np.floating], rule: OracleRule
) -> NDArray[np.int64]:
    """The candidate each true step is labelled with.

    `paper` is the released rule: each step takes the candidate of highest tIoU by itself, ties go to the earliest, a
    step that overlaps no candidate gets 0. Labels may repeat and may run backwards.

    `story` makes labels a story that can be told: every candidate at most once, in order of start, with the highest sum
    of tIoU (dynamic programming). A step is never given a candidate that does not overlap it; a step left without one
    (none overlaps, its neighbours need them, or there are more steps than candidates) gets -1.

    Args:
        truth_spans: (T, 2) seconds, in story order.
        candidate_spans: (N, 2) seconds; `paper` takes them as they stand, `story` orders them by start, then end.
        rule: "paper" or "story".

    Returns:
        (T,) indices into `candidate_spans`; -1 for no candidate. With N = 0 every label is -1 under both rules.
    """
    if rule not in ("paper", "story"):
        raise BadValueError("oracle", f"unknown rule {rule!r}", "choose paper or story")
    tiou = tiou_matrix(truth_spans, candidate_spans)
    if tiou.shape[1] == 0:
        return np.full(len(tiou), -1, dtype=np.int64)
    if rule == "paper":
        return np.asarray(tiou.argmax(axis=1), dtype=np.int64)
    spans = np.asarray(candidate_spans, dtype=np.float64).reshape(-1, 2)
    order = np.lexsort((spans[:, 1], spans[:, 0]))
    labels = _best_increasing(tiou[:, order])
    return np.where(labels >= 0, order[labels], -1).astype(np.int64)


def _best_increasing(gain: NDArray[np.float64]) -> NDArray[np.int64]:
    """(T, N) gains to (T,) columns, increasing where not -1, with the highest sum; ties go to the earliest columns."""
    steps, columns = gain.shape
    # best[t, n]: highest sum for the first t rows and n columns.
    best = np.zeros((steps + 1, columns + 1))
    for t in range(steps):
        taken = np.concatenate([[0.0], best[t, :-1] + gain[t]])
        best[t + 1] = np.maximum.accumulate(np.maximum(best[t], taken))
    labels = np.full(steps, -1, dtype=np.int64)
    t, n = steps, columns
    while t and n:
        if best[t, n] == best[t, n - 1]:
            n -= 1
        elif best[t, n] == best[t - 1, n]:
            t -= 1
        else:
            t, n = t - 1, n - 1
            labels[t] = n
    return labels
