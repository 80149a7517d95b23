"""`AnnotatedVideo`: one video with its true steps, whatever file it came from."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cookscribe.candidates import checked_spans
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
        spans = checked_spans(self.spans, self.id)
        object.__setattr__(self, "spans", spans)
        if len(spans) != len(self.sentences):
            raise BadValueError(self.id, f"{len(spans)} segments but {len(self.sentences)} sentences")
        if not np.isfinite(self.duration) or self.duration <= 0:
            raise BadValueError(self.id, f"the duration must be positive, got {self.duration}")
