"""What the words heard say about where the steps are and how many there are.

Two ridge regressions learnt from videos that have a transcript and annotated steps (the training split; nothing of a
video that is tested on):

- over time: the words around a moment (and its place in the video) say how likely it lies inside a step, and how near
  the start and the end of one;
- over the video: all its words and its length, and the number of its ingredients where they are known, say how many
  steps it has.

The words of most transcripts are only spread evenly over the video and so some seconds off; the window is wide enough
not to mind.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import torch
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.linalg import LinearOperator, cg

from cookscribe.errors import BadValueError
from cookscribe.learning.datasets.records import AnnotatedVideo
from cookscribe.learning.datasets.splits import development_split
from cookscribe.senses.transcripts import Transcript

Floats = NDArray[np.float64]

BINS = 60  # moments per video
WINDOW = np.array([0.25, 0.5, 1.0, 0.5, 0.25])  # weight of the words of neighbouring bins
RAREST = 15  # a word must be heard in this many training videos to count
PLACES = 8  # cosines of the place in the video
PENALTIES = (30.0, 100.0, 300.0, 1000.0)
COUNT_PENALTIES = (100.0, 300.0, 1000.0, 3000.0, 10000.0)


def plain_words(text: str) -> list[str]:
    """Lower-case words without punctuation."""
    return re.findall(r"[a-z']+", text.lower())


@dataclass(frozen=True, eq=False)
class WordsHeard:
    """The fitted regressions.

    Attributes:
        words: number by word.
        over_time: (PLACES + W, 3) weights for inside, start and end.
    """

    words: dict[str, int]
    over_time: Floats

    @classmethod
    def fit(cls, videos: Mapping[str, AnnotatedVideo], transcripts: Mapping[str, Transcript]) -> Self:
        """Learn from the videos that have a transcript; the penalty is chosen on a tenth of them."""
        heard = sorted(key for key in videos if key in transcripts)
        if len(heard) < 2:
            raise BadValueError("words heard", "fewer than two training videos have a transcript")
        spread: Counter[str] = Counter()
        for key in heard:
            spread.update(set(plain_words(transcripts[key].text)))
        rarest = min(RAREST, len(heard) // 2)
        words = {word: n for n, word in enumerate(sorted(w for w, times in spread.items() if times >= rarest))}
        rows = {key: _moments(transcripts[key], videos[key].duration, words) for key in heard}
        goals = {key: moment_labels(videos[key]) for key in heard}
        fitting, choosing = development_split(heard, 0.1)

        def weights(keys: Sequence[str], penalty: float) -> Floats:
            return _ridge(sparse.vstack([rows[k] for k in keys]), np.concatenate([goals[k] for k in keys]), penalty)

        def error(penalty: float) -> float:
            fitted = weights(fitting, penalty)
            return float(np.mean([np.square(rows[k] @ fitted - goals[k]).mean() for k in choosing]))

        return cls(words, weights(heard, min(PENALTIES, key=error)))

    def moments(self, transcript: Transcript | None, duration: float) -> Floats:
        """(BINS, 3) how likely each moment lies inside a step, and how near a start and an end are.

        Without a transcript only the place in the video speaks.
        """
        silent = Transcript((), np.zeros((0, 2)), timed=False)
        return np.asarray(_moments(transcript or silent, duration, self.words) @ self.over_time)


def _moments(transcript: Transcript, duration: float, words: Mapping[str, int]) -> sparse.csr_matrix:
    """(BINS, PLACES + W): cosines of the place, then how often each word is heard around the moment (log)."""
    rows, columns = [], []
    for text, (start, end) in zip(transcript.words, transcript.times, strict=True):
        place = min(int((start + end) / 2 / duration * BINS), BINS - 1)
        for word in plain_words(text):
            if word in words:
                rows.append(place)
                columns.append(words[word])
    counts = sparse.csr_matrix((np.ones(len(rows)), (rows, columns)), shape=(BINS, len(words)))
    reach = len(WINDOW) // 2
    window = sparse.diags(list(WINDOW), list(range(-reach, reach + 1)), shape=(BINS, BINS))
    grid = (np.arange(BINS) + 0.5) / BINS
    cosines = np.stack([np.cos(np.pi * k * grid) for k in range(PLACES)], axis=1)
    return sparse.hstack([sparse.csr_matrix(cosines), (window @ counts).log1p()], format="csr")


def moment_labels(video: AnnotatedVideo) -> Floats:
    """(BINS, 3): the part of each bin inside a step, and bells around the starts and the ends."""
    borders = np.linspace(0.0, video.duration, BINS + 1)
    start, end = video.spans[:, 0], video.spans[:, 1]
    overlap = np.minimum(borders[1:, None], end) - np.maximum(borders[:-1, None], start)
    inside = np.minimum(np.clip(overlap, 0, None).sum(axis=1) / (video.duration / BINS), 1.0)
    centre = (borders[1:] + borders[:-1]) / 2
    width = max(video.duration / BINS, 4.0)
    bells = [np.exp(-0.5 * ((centre[:, None] - border) / width) ** 2).sum(axis=1) for border in (start, end)]
    return np.stack([inside, *bells], axis=1)


def _ridge(rows: sparse.csr_matrix, goals: Floats, penalty: float) -> Floats:
    """(F, G) weights of least squares by conjugate gradients, with a penalty on the words and hardly any on places."""
    size = rows.shape[1]
    diagonal = np.full(size, penalty)
    diagonal[:PLACES] = 0.1
    turned = rows.T.tocsr()
    normal = LinearOperator((size, size), matvec=lambda x: turned @ (rows @ x) + diagonal * x, dtype=np.float64)
    scale = np.asarray(rows.multiply(rows).sum(axis=0)).ravel() + diagonal
    precondition = LinearOperator((size, size), matvec=lambda x: x / scale, dtype=np.float64)
    solved = [
        cg(normal, turned @ goals[:, g], rtol=1e-5, maxiter=300, M=precondition)[0] for g in range(goals.shape[1])
    ]
    return np.stack(solved, axis=1)


def candidate_numbers(spans: Floats, duration: float, moments: Floats) -> Floats:
    """(N, 9) what the moments say of each candidate, each number of the size of 1.

    Inside likelihood within the candidate, before it and behind it, the contrast, the mean of the video; how near a
    start and an end are to its start and its end.
    """
    grid = (np.arange(BINS) + 0.5) / BINS
    start, end = spans[:, 0] / duration, spans[:, 1] / duration
    length = np.maximum(end - start, 0.01)

    def mean(column: int, first: Floats, last: Floats) -> Floats:
        at = first[:, None] + (last - first)[:, None] * np.linspace(0, 1, 9)
        means: Floats = np.interp(at, grid, moments[:, column]).mean(axis=1)
        return means

    inside = mean(0, start, end)
    before = mean(0, start - 0.6 * length, start - 0.1 * length)
    behind = mean(0, end + 0.1 * length, end + 0.6 * length)
    numbers = [
        4 * inside - 2,
        4 * before - 2,
        4 * behind - 2,
        4 * inside - 2 * (before + behind),
        np.full(len(spans), 4 * moments[:, 0].mean() - 2),
        *(3 * np.interp(at, grid, moments[:, column]) for column, at in ((1, start), (2, end), (2, start), (1, end))),
    ]
    return np.stack(numbers, axis=1)


@dataclass(frozen=True, eq=False)
class CountGuess:
    """A ridge regression from what is known of a video to its number of steps.

    Attributes:
        words: number by word; empty if words are not read.
        ingredients: whether the number of ingredients is read.
        mean, spread: (F,) of the features in training.
        weights: (F,); middle: mean number of steps.
    """

    words: dict[str, int]
    ingredients: bool
    mean: Floats
    spread: Floats
    weights: Floats
    middle: float

    @classmethod
    def fit(
        cls,
        videos: Mapping[str, AnnotatedVideo],
        transcripts: Mapping[str, Transcript],
        words: Mapping[str, int],
        *,
        ingredients: bool,
    ) -> Self:
        """Learn from all videos; the penalty has the smallest leave-one-out error among a few."""
        keys = sorted(videos)
        steps = np.array([len(videos[key].spans) for key in keys], dtype=np.float64)
        features = np.array([_whole(videos[k], transcripts.get(k), words, ingredients) for k in keys])
        few = features.shape[1] - len(words)
        mean, spread = features.mean(axis=0), features.std(axis=0)
        # Single numbers are made equally large and hardly penalised; words keep their counts.
        spread[:few] = np.maximum(spread[:few], 1e-6) / 10
        spread[few:] = 1.0
        scaled = (features - mean) / spread
        gram = torch.from_numpy(scaled)
        # torch, because its threads are the ones a run sets and writes down.
        values, vectors = (part.numpy() for part in torch.linalg.eigh(gram @ gram.T))
        turned = vectors.T @ (steps - steps.mean())

        def left_out(penalty: float) -> float:
            shrink = penalty / (np.maximum(values, 0) + penalty)
            rest = vectors @ (shrink * turned)
            own = (vectors**2) @ shrink
            return float(np.square(rest / own).mean())

        best = min(COUNT_PENALTIES, key=left_out)
        dual = vectors @ (turned / (np.maximum(values, 0) + best))
        return cls(dict(words), ingredients, mean, spread, scaled.T @ dual, float(steps.mean()))

    def guess(self, video: AnnotatedVideo, transcript: Transcript | None) -> float:
        """The expected number of steps; of the video only duration and ingredients are looked at."""
        features = (_whole(video, transcript, self.words, self.ingredients) - self.mean) / self.spread
        return float(self.middle + features @ self.weights)


def _whole(video: AnnotatedVideo, transcript: Transcript | None, words: Mapping[str, int], ingredients: bool) -> Floats:
    """Length of the video; number of ingredients; how much is said and how often each word is (log)."""
    length = np.log(video.duration)
    numbers = [length, length**2, video.duration / 300]
    if ingredients:
        names = len(set(video.ingredients))
        numbers += [names / 10, np.log1p(names)]
    if not words:
        return np.array(numbers)
    heard = plain_words(transcript.text) if transcript is not None else []
    numbers += [np.log1p(len(heard)), len(heard) / video.duration, float(transcript is None)]
    counts = np.zeros(len(words))
    for word, times in Counter(heard).items():
        if word in words:
            counts[words[word]] = np.log1p(times)
    return np.concatenate([numbers, counts])
