"""Plain ways to choose events from candidates: uniform segments, top-K, non-maximum suppression, PDVC's re-ranking.

All of them take and give `Candidates`; what they give is sorted by start, like all candidates. None looks at the truth.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from cookscribe.candidates import Candidates, tiou_matrix
from cookscribe.errors import BadValueError


def uniform(duration: float, count: int) -> Candidates:
    """`count` segments of equal length that tile the video, each with score 1."""
    if count < 1 or not np.isfinite(duration) or duration <= 0:
        raise BadValueError("uniform", f"needs a positive count and duration, got {count} and {duration}")
    borders = np.linspace(0.0, duration, count + 1)
    return Candidates(np.stack([borders[:-1], borders[1:]], axis=1), np.ones(count), duration, count=count)


def with_nearest_captions(events: Candidates, candidates: Candidates) -> Candidates:
    """Give each event the caption of the candidate that overlaps it most (of equals, the one with the higher score)."""
    captions = _captions(candidates)
    if not len(candidates):
        raise BadValueError("captions", "there is no candidate to take a caption from")
    overlap = tiou_matrix(events.spans, candidates.spans)
    by_score = np.argsort(-candidates.scores, kind="stable")
    nearest = by_score[overlap[:, by_score].argmax(axis=1)]
    return replace(events, captions=tuple(captions[i] for i in nearest))


def top(candidates: Candidates, count: int | None = None) -> Candidates:
    """The `count` candidates of highest score; None takes the count that the candidates expect."""
    return _best_apart(candidates, candidates.scores, wanted_count(candidates, count))


def suppressed(candidates: Candidates, threshold: float, count: int | None = None) -> Candidates:
    """Non-maximum suppression: the best candidates, no two of which have a tIoU above `threshold`, in [0, 1]."""
    if not 0 <= threshold <= 1:
        raise BadValueError("threshold", f"must be in [0, 1], got {threshold}")
    return _best_apart(candidates, candidates.scores, wanted_count(candidates, count), threshold)


def reranked_scores(candidates: Candidates) -> NDArray[np.float64]:
    """(N,) PDVC's own score: the caption's summed log-probability / (words^2 + 1e-5), plus the proposal score."""
    if candidates.caption_scores is None:
        raise BadValueError(
            "re-ranking", "the candidates have no caption scores", "use candidates of a captioning model"
        )
    words = np.array([len(caption.split()) for caption in _captions(candidates)], dtype=np.float64)
    scores: NDArray[np.float64] = candidates.caption_scores / (words**2 + 1e-5) + candidates.scores
    return scores


def reranked(candidates: Candidates, count: int | None = None) -> Candidates:
    """The `count` candidates of highest re-ranked score; None takes the count that the candidates expect."""
    return _best_apart(candidates, reranked_scores(candidates), wanted_count(candidates, count))


def rank_scores(candidates: Candidates, alpha: float = 1.0) -> NDArray[np.float64]:
    """(N,) alpha * (sum log p / words ** 2) + class score: PDVC's ranking; without captions the class score."""
    scores = np.asarray(candidates.scores, dtype=np.float64)
    if candidates.captions is None or candidates.caption_scores is None or not alpha:
        return scores
    return scores + alpha * (reranked_scores(candidates) - scores)


def rerank(candidates: Candidates, count: int | None = None, *, alpha: float = 1.0, overlap: float = 1.0) -> Candidates:
    """The answer of a proposal model: its best `count` candidates in order of time.

    Args:
        count: how many; None takes the expected count, rounded, or every candidate when there is none.
        alpha: weight of the caption in the ranking.
        overlap: highest tIoU of two chosen events; 1 is PDVC's own behaviour, which may choose an event twice.
    """
    if count is None:
        count = len(candidates) if candidates.count is None else wanted_count(candidates)
    return _best_apart(candidates, rank_scores(candidates, alpha), count, overlap)


def _best_apart(candidates: Candidates, scores: NDArray[np.floating], count: int, overlap: float = 1.0) -> Candidates:
    """By falling score (of equals the earlier), up to `count` events, no two with a tIoU above `overlap`."""
    order = np.argsort(-np.asarray(scores, dtype=np.float64), kind="stable")
    if overlap >= 1:
        return candidates.take(order[:count])
    tiou = tiou_matrix(candidates.spans, candidates.spans)
    kept: list[int] = []
    for index in order:
        if len(kept) == count:
            break
        if (tiou[index, kept] <= overlap).all():
            kept.append(int(index))
    return candidates.take(kept)


def wanted_count(candidates: Candidates, count: int | None = None) -> int:
    """`count`, or the count the candidates expect, rounded and at least 1."""
    if count is not None:
        if count < 1:
            raise BadValueError("count", f"must be at least 1, got {count}")
        return count
    if candidates.count is None:
        raise BadValueError("count", "the candidates do not say how many events they expect", "give a count")
    return max(1, round(candidates.count))


def _captions(candidates: Candidates) -> tuple[str, ...]:
    if candidates.captions is None:
        raise BadValueError("captions", "the candidates have no captions", "use candidates of a captioning model")
    return candidates.captions
