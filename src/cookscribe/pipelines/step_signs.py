"""What tells a right step of a narrated film from a wrong one."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from cookscribe.bundle import Bounded, log_odds
from cookscribe.candidates import Candidates
from cookscribe.config import Config
from cookscribe.pipelines.transcript_reader import TranscriptReader
from cookscribe.senses.event_words import words_around
from cookscribe.senses.word_space import TranscriptWords
from cookscribe.story import StoryStep
from cookscribe.text.ingredients import canonical

# In the order of the columns: expected overlap with a true step (log odds), the share of the sentence's words that are
# said around the event, their number (logarithm), and the mean log probability of a word of the sentence.
LEARNT = ("overlap", "said", "length", "sentence")
# The last sign tells whether the film is about cooking: how many ingredients are said around an event, the mean of the
# film. It is no part of the regression, because all videos to learn from are about cooking; few have fewer than two.
SIGNS = (*LEARNT, "ingredients")
FEW_INGREDIENTS = 3
CONFIDENCE = "confidence.json"  # in the folder of a bundle, and in that of its language-model writer

Signs = NDArray[np.float64]


class StepConfidence(Config):
    """A logistic regression from the signs of a step to how sure it is; without learning, its expected overlap.

    Attributes:
        weights: of the signs `LEARNT`, in their order; shift: the log odds where all of them are 0.
    """

    weights: Annotated[tuple[Bounded, ...], Field(min_length=len(LEARNT), max_length=len(LEARNT))] = (1.0, 0, 0, 0)
    shift: Bounded = 0.0

    def __call__(self, signs: Signs) -> list[float]:
        """How sure each step is, 0 to 1, of the (N, len(SIGNS)) signs of N steps; the bundle calibrates it."""
        odds = signs[:, : len(LEARNT)] @ np.array(self.weights, dtype=np.float64) + self.shift
        cooking = np.minimum(1.0, (signs[:, -1] + 1) / FEW_INGREDIENTS)
        sure: list[float] = (cooking * (0.5 + 0.5 * np.tanh(odds / 2))).tolist()
        return sure

    @classmethod
    def of(cls, folder: Path) -> Self:
        """That of a folder."""
        return cls.load(folder / CONFIDENCE) if (folder / CONFIDENCE).is_file() else cls()


def step_signs(
    steps: Sequence[StoryStep], events: Candidates, heard: TranscriptWords, reader: TranscriptReader
) -> Signs:
    """(N, len(SIGNS)) signs of the steps that were written of these events and words."""
    rows, named = [], []
    for step in steps:
        around = [reader.space.words[number] for number in words_around(heard, step.span.tolist())[:, 0].tolist()]
        told = {canonical(reader.space.words[number]) for number in reader.space.ids(step.sentence)}
        overlap = log_odds(float(events.scores[step.choice]))
        # Singular and plural are one.
        said = len(told & {canonical(word) for word in around}) / max(1, len(told))
        named.append(reader.finder.count(" ".join(around)))
        rows.append([overlap, said, math.log1p(len(told)), min(0.0, step.sentence_score)])
    film = np.full((len(rows), 1), np.mean(named) if named else 0.0)
    return np.concatenate((np.array(rows, dtype=np.float64).reshape(-1, len(LEARNT)), film), axis=1)
