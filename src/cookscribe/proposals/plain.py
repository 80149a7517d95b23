"""Plain ways to choose events from candidates: uniform segments, top-K, non-maximum suppression, PDVC's re-ranking.

All of them take and give `Candidates`; what they give is sorted by start, like all candidates. None looks at the truth.
"""

from __future__ import annotations

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
    return Candidates(
        events.spans, events.scores, events.duration, tuple(captions[i] for i in nearest), count=events.count
    )


def everything(candidates: Candidates) -> Candidates:
    """All candidates."""
    return candidates


def top(candidates: Candidates, count: int | None = None) -> Candidates:
    """The `count` candidates of highest score; None takes the count that the candidates expect."""
    return candidates.take(_best(candidates.scores)[: wanted_count(candidates, count)])


def suppressed(candidates: Candidates, threshold: float, count: int | None = None) -> Candidates:
    """Non-maximum suppression: by falling score, keep what has tIoU at most `threshold` with all that was kept.

    Args:
        candidates: what to choose from.
        threshold: the highest tIoU two chosen events may have, in [0, 1].
        count: how many to keep; None takes the count that the candidates expect.
    """
    if not 0 <= threshold <= 1:
        raise BadValueError("threshold", f"must be in [0, 1], got {threshold}")
    limit = wanted_count(candidates, count)
    overlap = tiou_matrix(candidates.spans, candidates.spans)
    kept: list[int] = []
    for index in _best(candidates.scores):
        if len(kept) == limit:
            break
        if (overlap[index, kept] <= threshold).all():
            kept.append(int(index))
    return candidates.take(kept)


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
    return candidates.take(_best(reranked_scores(candidates))[: wanted_count(candidates, count)])


def wanted_count(candidates: Candidates, count: int | None = None) -> int:
    """`count`, or the count the candidates expect, rounded and at least 1."""
    if count is not None:
        if count < 1:
            raise BadValueError("count", f"must be at least 1, got {count}")
        return count
    if candidates.count is None:
        raise BadValueError("count", "the candidates do not say how many events they expect", "give a count")
    return max(1, round(candidates.count))


def _best(scores: NDArray[np.floating]) -> NDArray[np.int64]:
    """Indices by falling score; of equal scores the earlier event first."""
    return np.argsort(-np.asarray(scores, dtype=np.float64), kind="stable")


def _captions(candidates: Candidates) -> tuple[str, ...]:
    if candidates.captions is None:
        raise BadValueError("captions", "the candidates have no captions", "use candidates of a captioning model")
    return candidates.captions
