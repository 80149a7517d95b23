"""Videos for studies of event selection: candidates with numbers beside them, changed at random for training, batched.

The recipe model reads one feature row per candidate. Here there is no video feature; the row holds numbers that are
known of the candidate (its caption's score, what is heard around it) and of its video (its length, how many steps to
expect), each as a few soft bins, so that numbers of any size go through the same normalisation.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from cookscribe.candidates import Candidates
from cookscribe.config import Config
from cookscribe.learning import story_data
from cookscribe.learning.datasets.oracle import OracleRule, oracle_labels
from cookscribe.learning.story_data import StoryTruth
from cookscribe.model import story_input
from cookscribe.model.batch import Inputs, Targets
from cookscribe.model.config import BOS, EOS
from cookscribe.model.story_input import StoryInput

Floats = NDArray[np.float64]

# Columns of `SelectionVideo.whole` that count steps; they are mixed when two videos are joined.
LENGTH_COLUMN = 0


@dataclass(frozen=True, eq=False)
class SelectionVideo:
    """One video with N candidates, sorted by start.

    Attributes:
        id: of the video.
        duration: seconds.
        spans: (N, 2) seconds; scores: (N,).
        own: (N, A) numbers of each candidate.
        whole: (B,) numbers of the video: the logarithm of its duration first, then expected numbers of steps.
        truth: (T, 2) true steps in seconds.
    """

    id: str
    duration: float
    spans: Floats
    scores: Floats
    own: Floats
    whole: Floats
    truth: Floats

    def __len__(self) -> int:
        return len(self.spans)

    def take(self, kept: NDArray[np.bool_]) -> Self:
        """Some of the candidates."""
        return replace(self, spans=self.spans[kept], scores=self.scores[kept], own=self.own[kept])

    def sorted(self) -> Self:
        """Candidates and steps in order of start."""
        order, steps = np.lexsort((self.spans[:, 1], self.spans[:, 0])), np.argsort(self.truth[:, 0], kind="stable")
        return replace(
            self, spans=self.spans[order], scores=self.scores[order], own=self.own[order], truth=self.truth[steps]
        )


class Augmentation(Config):
    """Chances of the changes that make new training videos out of few: each leaves borders where people put them."""

    splice: float = 0.3
    stretch: float = 0.1  # standard deviation of the logarithm of a common factor of all times
    drop: float = 0.0  # share of the candidates left out


def changed(
    video: SelectionVideo, others: Sequence[SelectionVideo], rng: np.random.Generator, chances: Augmentation
) -> SelectionVideo:
    """A video like `video`: its end replaced by that of another one, played faster or slower."""
    if rng.random() < chances.splice:
        video = spliced(video, others[int(rng.integers(len(others)))], rng) or video
    if chances.drop and len(video) > 8:
        video = video.take(rng.random(len(video)) >= chances.drop)
    if chances.stretch:
        video = stretched(video, float(np.exp(rng.normal() * chances.stretch)))
    return video


def stretched(video: SelectionVideo, factor: float) -> SelectionVideo:
    """The same video slower or faster."""
    whole = video.whole.copy()
    whole[LENGTH_COLUMN] += np.log(factor)
    return replace(
        video, duration=video.duration * factor, spans=video.spans * factor, truth=video.truth * factor, whole=whole
    )


def spliced(first: SelectionVideo, second: SelectionVideo, rng: np.random.Generator) -> SelectionVideo | None:
    """The beginning of one video and the end of another, cut at about the same place where no step is cut through.

    A candidate that lies mostly on the kept side stays, cut at the border. None if no good cut is found.
    """
    for _ in range(6):
        share = rng.uniform(0.2, 0.8)
        left = share * first.duration
        right = float(np.clip(share + rng.normal() * 0.08, 0.1, 0.9)) * second.duration
        if _cuts(first.truth, left) or _cuts(second.truth, right):
            continue
        kept_left = _mostly(first.spans, 0.0, left)
        kept_right = _mostly(second.spans, right, second.duration)
        truth = np.concatenate(
            [first.truth[first.truth[:, 1] <= left], second.truth[second.truth[:, 0] >= right] - right + left]
        )
        if kept_left.sum() + kept_right.sum() < 8 or len(truth) < 3:
            continue
        duration = left + second.duration - right
        spans = [np.minimum(first.spans[kept_left], left), np.maximum(second.spans[kept_right], right) - right + left]
        whole = kept_left.mean() * first.whole + kept_right.mean() * second.whole
        whole[LENGTH_COLUMN] = np.log(duration)
        return replace(
            first,
            id=f"{first.id}+{second.id}",
            duration=duration,
            spans=np.concatenate(spans),
            scores=np.concatenate([first.scores[kept_left], second.scores[kept_right]]),
            own=np.concatenate([first.own[kept_left], second.own[kept_right]]),
            whole=whole,
            truth=truth,
        ).sorted()
    return None


def _cuts(truth: Floats, at: float) -> bool:
    return bool(((truth[:, 0] < at) & (truth[:, 1] > at)).any())


def _mostly(spans: Floats, start: float, end: float) -> NDArray[np.bool_]:
    inside = np.minimum(spans[:, 1], end) - np.maximum(spans[:, 0], start)
    return np.asarray(inside > 0.75 * np.maximum(spans[:, 1] - spans[:, 0], 1e-3))


@dataclass(frozen=True, eq=False)
class SoftBins:
    """Each number as its closeness to a few fixed values, the quantiles of what was seen in training.

    Attributes:
        centres: (F, K) increasing.
    """

    centres: Floats

    @classmethod
    def fit(cls, videos: Sequence[SelectionVideo], bins: int = 6) -> Self:
        """Quantiles over all candidates of `videos`."""
        rows = np.concatenate([all_numbers(video) for video in videos])
        centres = np.quantile(rows, np.linspace(0.02, 0.98, bins), axis=0).T
        # Constant columns still need centres that differ.
        return cls(np.maximum.accumulate(centres + np.arange(bins) * 1e-3, axis=1))

    def __call__(self, numbers: Floats) -> NDArray[np.float32]:
        """(N, F) numbers to (N, F x K): weights between 0 and 1 that sum to 1 for each number."""
        centres, x = self.centres, numbers[:, :, None]
        gaps = np.diff(centres, axis=1)
        rising = np.clip((x - centres[:, :-1]) / gaps, 0.0, 1.0)  # 0 at a centre, 1 at the next
        weights = np.ones((len(numbers), *centres.shape), dtype=np.float32)
        weights[:, :, 1:] = rising
        weights[:, :, :-1] -= rising
        return weights.reshape(len(numbers), -1)

    @property
    def width(self) -> int:
        """F x K."""
        return int(self.centres.size)


def all_numbers(video: SelectionVideo) -> Floats:
    """(N, A + B) the numbers of the candidates and, repeated, of the video."""
    return np.concatenate([video.own, np.broadcast_to(video.whole, (len(video), len(video.whole)))], axis=1)


def batch_inputs(videos: Sequence[SelectionVideo], bins: SoftBins) -> Inputs:
    """Pad the videos to one batch."""
    rows = bins(np.concatenate([all_numbers(video) for video in videos]))
    of_video = np.split(rows, np.cumsum([len(video) for video in videos])[:-1])
    return story_input.batch_inputs(
        [
            StoryInput(Candidates(v.spans, v.scores, v.duration, features=own), (), np.zeros((len(v), 0, 0), np.int64))
            for v, own in zip(videos, of_video, strict=True)
        ]
    )


def batch_targets(videos: Sequence[SelectionVideo], rule: OracleRule = "story") -> Targets:
    """Oracle events and true steps; the sentences are empty, for only the choice of events is learnt."""
    truths = []
    for video in videos:
        labels = oracle_labels(video.truth, video.spans, rule)
        kept = labels[labels >= 0]
        none: tuple[tuple[Any, ...], ...] = ((),) * len(kept)
        times = np.clip(video.truth / video.duration, 0, 1)
        truths.append(StoryTruth(kept, ((BOS, EOS),) * len(kept), none, none, none, none, times))
    return story_data.batch_targets(truths, ingredients=0, actions=1)
