"""`Story`: what the recipe model wrote for one video, with its evidence."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class StoryStep:
    """One chosen event with its sentence; the two belong together by construction.

    Attributes:
        choice: index of the chosen candidate, in the order of `Candidates`.
        span: (2,) seconds; the candidate's borders, refined if the model refines them.
        sentence: words joined by blanks.
        event_probabilities: (N + 1,) over STOP (index 0) and the N candidates at this step.
        sentence_score: mean log-probability of a word.
        actions: (R,) attention of this step to the actions, or None (B and BI have none).
        ingredients: (M,) attention of this step to the ingredients, or None.
        change: (M,) distance of each ingredient's state vector from its raw one after this step, or None.
    """

    choice: int
    span: NDArray[np.float64]
    sentence: str
    event_probabilities: NDArray[np.float64]
    sentence_score: float
    actions: NDArray[np.float64] | None = None
    ingredients: NDArray[np.float64] | None = None
    change: NDArray[np.float64] | None = None


@dataclass(frozen=True, eq=False)
class Story:
    """The steps of one video in story order. `reason` says why there are none, when there are none."""

    steps: tuple[StoryStep, ...]
    reason: str = ""
