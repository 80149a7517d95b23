"""`Candidates`: the events a proposal model or a baseline offers for one video."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cookscribe.errors import BadValueError

FloatArray = NDArray[np.floating]


@dataclass(frozen=True, eq=False)
class Candidates:
    """N candidate events of one video, sorted by start (then end); any N, zero included.

    Attributes:
        spans: (N, 2) start and end in seconds, inside [0, duration].
        scores: (N,) proposal scores in [0, 1].
        duration: length of the video in seconds.
        captions: N sentences of the proposal model, or None.
        caption_scores: (N,) summed log-probabilities of the captions, or None.
        features: (N, D) one pooled feature row per event, or None.
        count: the number of events the proposal model expects, or None.
    """

    spans: FloatArray
    scores: FloatArray
    duration: float
    captions: tuple[str, ...] | None = None
    caption_scores: FloatArray | None = None
    features: FloatArray | None = None
    count: float | None = None

    def __post_init__(self) -> None:
        spans = checked_spans(self.spans, "candidates")
        scores = np.asarray(self.scores, dtype=np.float64).reshape(-1)
        if not np.isfinite(self.duration) or self.duration <= 0:
            raise BadValueError("candidates", f"the duration must be positive, got {self.duration}")
        if len(spans) != len(scores):
            raise BadValueError("candidates", f"{len(spans)} spans but {len(scores)} scores")
        if not np.isfinite(scores).all():
            raise BadValueError("candidates", "the scores must be finite")
        order = np.lexsort((spans[:, 1], spans[:, 0]))
        object.__setattr__(self, "spans", spans[order])
        object.__setattr__(self, "scores", scores[order])
        for name in ("captions", "caption_scores", "features"):
            values = getattr(self, name)
            if values is None:
                continue
            if len(values) != len(spans):
                raise BadValueError("candidates", f"{len(spans)} spans but {len(values)} {name}")
            if name == "captions":
                object.__setattr__(self, name, tuple(values[i] for i in order))
            else:
                object.__setattr__(self, name, np.asarray(values)[order])

    def __len__(self) -> int:
        return len(self.spans)

    def take(self, indices: Sequence[int] | NDArray[np.integer]) -> Self:
        """The chosen events only, sorted by start again."""
        index = np.asarray(indices, dtype=np.int64).reshape(-1)
        return replace(
            self,
            spans=self.spans[index],
            scores=self.scores[index],
            captions=None if self.captions is None else tuple(self.captions[i] for i in index),
            caption_scores=None if self.caption_scores is None else self.caption_scores[index],
            features=None if self.features is None else self.features[index],
        )


def checked_spans(spans: ArrayLike, subject: str) -> NDArray[np.float64]:
    """(N, 2) seconds as float64; what is not finite, ordered and at or after 0 is an error that names `subject`."""
    try:
        array = np.asarray(spans, dtype=np.float64)
        array = array.reshape(0, 2) if array.size == 0 else array
    except (TypeError, ValueError, OverflowError):
        raise BadValueError(subject, "the spans are not pairs of numbers") from None
    if array.ndim != 2 or array.shape[1] != 2:
        raise BadValueError(subject, f"the spans must be (N, 2) seconds, got shape {array.shape}")
    if not np.isfinite(array).all():
        raise BadValueError(subject, "a time is not finite")
    if (array < 0).any():
        raise BadValueError(subject, "a time is negative")
    if (array[:, 1] < array[:, 0]).any():
        raise BadValueError(subject, "a span is reversed: it ends before it starts")
    return array


def tiou_matrix(left: FloatArray, right: FloatArray) -> NDArray[np.float64]:
    """Temporal intersection over union of every pair: (N, 2) and (M, 2) seconds give (N, M) in [0, 1].

    Two empty spans have no union; their value is 0.
    """
    left = np.asarray(left, dtype=np.float64).reshape(-1, 1, 2)
    right = np.asarray(right, dtype=np.float64).reshape(1, -1, 2)
    overlap = np.minimum(left[..., 1], right[..., 1]) - np.maximum(left[..., 0], right[..., 0])
    overlap = np.clip(overlap, 0.0, None)
    union = (left[..., 1] - left[..., 0]) + (right[..., 1] - right[..., 0]) - overlap
    result: NDArray[np.float64] = np.divide(overlap, union, out=np.zeros_like(overlap), where=union > 0)
    return result
