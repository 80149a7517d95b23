"""From N candidates to the few that are the model's answer: rank by class and caption, keep as many as were counted."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cookscribe.candidates import Candidates, tiou_matrix


def rank_scores(candidates: Candidates, alpha: float = 1.0, power: float = 2.0) -> NDArray[np.float64]:
    """(N,) alpha * (sum log p / words ** power) + class score: PDVC's ranking; without captions the class score."""
    scores = np.asarray(candidates.scores, dtype=np.float64)
    if candidates.captions is None or candidates.caption_scores is None or not alpha:
        return scores
    # EOS was predicted too, so that an empty caption has one word.
    words = np.array([len(caption.split()) + 1 for caption in candidates.captions], dtype=np.float64)
    return scores + alpha * np.asarray(candidates.caption_scores, dtype=np.float64) / words**power


def rerank(
    candidates: Candidates,
    count: int | None = None,
    *,
    alpha: float = 1.0,
    power: float = 2.0,
    overlap: float = 1.0,
) -> Candidates:
    """The best `count` candidates in order of time.

    Args:
        count: how many; the count the model expects, rounded, when None (and every candidate when there is none).
        overlap: a candidate is passed over if its tIoU with a better one that was kept exceeds this. 1 keeps PDVC's own
            behaviour, under which the answer may tell the same event twice.
    """
    if count is None:
        count = len(candidates) if candidates.count is None else max(1, round(candidates.count))
    order = np.argsort(-rank_scores(candidates, alpha, power), kind="stable")
    tiou = tiou_matrix(candidates.spans, candidates.spans)
    kept: list[int] = []
    for number in order:
        if len(kept) == count:
            break
        if not kept or tiou[number, kept].max() <= overlap:
            kept.append(int(number))
    return candidates.take(kept)
