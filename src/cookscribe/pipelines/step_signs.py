"""What tells a right step of a narrated film from a wrong one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from cookscribe.bundle import Bounded, log_odds
from cookscribe.candidates import Candidates
from cookscribe.config import Config
from cookscribe.senses.event_words import words_around
from cookscribe.senses.word_space import TranscriptWords, WordSpace
from cookscribe.story import StoryStep
from cookscribe.text.ingredients import canonical

# In the order of the columns: expected overlap with a true step (log odds), the share of the sentence's words that are
# said around the event, their number (logarithm), and the mean log probability of a word of the sentence.
SIGNS = ("overlap", "said", "length", "sentence")
CONFIDENCE = "confidence.json"  # in the folder of a bundle, and in that of its language-model writer

Signs = NDArray[np.float64]


class StepConfidence(Config):
    """A logistic regression from the signs of a step to how sure it is; without learning, its expected overlap.

    Attributes:
        weights: of the signs, in their order; shift: the log odds where all signs are 0.
    """

    weights: Annotated[tuple[Bounded, ...], Field(min_length=len(SIGNS), max_length=len(SIGNS))] = (1.0, 0, 0, 0)
    shift: Bounded = 0.0

    def __call__(self, signs: Signs) -> list[float]:
        """How sure each step is, 0 to 1, of the (N, len(SIGNS)) signs of N steps; the bundle calibrates it."""
        odds = signs @ np.array(self.weights, dtype=np.float64) + self.shift
        sure: list[float] = (0.5 + 0.5 * np.tanh(odds / 2)).tolist()
        return sure

    @classmethod
    def of(cls, folder: Path) -> StepConfidence:
        """That of a folder."""
        return cls.load(folder / CONFIDENCE) if (folder / CONFIDENCE).is_file() else cls()


def step_signs(steps: Sequence[StoryStep], events: Candidates, heard: TranscriptWords, space: WordSpace) -> Signs:
    """(N, len(SIGNS)) signs of the steps that were written of these events and words."""
    rows = []
    for step in steps:
        around = _plain(words_around(heard, step.span.tolist())[:, 0], space)
        told = _plain(space.ids(step.sentence), space)
        overlap = log_odds(float(events.scores[step.choice]))
        said = len(told & around) / max(1, len(told))
        rows.append([overlap, said, math.log1p(len(told)), min(0.0, step.sentence_score)])
    return np.array(rows, dtype=np.float64).reshape(-1, len(SIGNS))


def _plain(ids: Sequence[int] | NDArray[np.int64], space: WordSpace) -> set[str]:
    """The words of these numbers, without regard to singular and plural."""
    return {canonical(space.words[number]) for number in np.asarray(ids, dtype=np.int64).tolist()}
