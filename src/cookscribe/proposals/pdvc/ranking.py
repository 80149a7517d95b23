"""From N candidates to the few that are the model's answer: rank by class and caption, keep as many as were counted."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cookscribe.candidates import Candidates, tiou_matrix
from cookscribe.proposals.plain import reranked_scores, wanted_count


def rank_scores(candidates: Candidates, alpha: float = 1.0) -> NDArray[np.float64]:
    """(N,) alpha * (sum log p / words ** 2) + class score: PDVC's ranking; without captions the class score."""
    scores = np.asarray(candidates.scores, dtype=np.float64)
    if candidates.captions is None or candidates.caption_scores is None or not alpha:
        return scores
    return scores + alpha * (reranked_scores(candidates) - scores)


def rerank(candidates: Candidates, count: int | None = None, *, alpha: float = 1.0, overlap: float = 1.0) -> Candidates:
    """The best `count` candidates in order of time.

    Args:
        count: how many; the count the model expects, rounded, when None (and every candidate when there is none).
        alpha: weight of the caption in the ranking.
        overlap: a candidate is passed over if its tIoU with a better one that was kept exceeds this. 1 keeps PDVC's own
            behaviour, under which the answer may tell the same event twice.
    """
    if count is None:
        count = len(candidates) if candidates.count is None else wanted_count(candidates)
    order = np.argsort(-rank_scores(candidates, alpha), kind="stable")
    tiou = tiou_matrix(candidates.spans, candidates.spans)
    kept: list[int] = []
    for number in order:
        if len(kept) == count:
            break
        if not kept or tiou[number, kept].max() <= overlap:
            kept.append(int(number))
    return candidates.take(kept)
