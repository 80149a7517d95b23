"""`AnnotatedVideo`: one video with its true steps, whatever file it came from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cookscribe.errors import BadValueError


@dataclass(frozen=True, eq=False)
class AnnotatedVideo:
    """A video and its recipe as people annotated it (or as the kitchen made it up).

    Attributes:
        id: bare video id, without a `v_` prefix.
        duration: seconds.
        spans: (T, 2) start and end of the steps in seconds, in order of start.
        sentences: T sentences.
        ingredients: names, in the order of the annotation; empty when unknown.
        split: "training", "validation" or "testing", or "" when unknown.
        recipe_type: dish class as published, or "".
        simulated: True for made-up recipes.
    """

    id: str
    duration: float
    spans: NDArray[np.float64]
    sentences: tuple[str, ...]
    ingredients: tuple[str, ...] = ()
    split: str = ""
    recipe_type: str = ""
    simulated: bool = False

    def __post_init__(self) -> None:
        spans = np.asarray(self.spans, dtype=np.float64)
        if spans.size and (spans.ndim != 2 or spans.shape[1] != 2):
            raise BadValueError(self.id, f"segments have the shape {spans.shape}, not (T, 2)")
        spans = spans.reshape(-1, 2)
        object.__setattr__(self, "spans", spans)
        if len(spans) != len(self.sentences):
            raise BadValueError(self.id, f"{len(spans)} segments but {len(self.sentences)} sentences")
        if not np.isfinite(self.duration) or self.duration <= 0:
            raise BadValueError(self.id, f"the duration must be positive, got {self.duration}")
        if not np.isfinite(spans).all() or (spans < 0).any() or (spans[:, 1] < spans[:, 0]).any():
            raise BadValueError(self.id, "a segment is not finite, negative or reversed")
