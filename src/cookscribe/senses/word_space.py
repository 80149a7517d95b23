"""`WordSpace`: the words a model of narrated videos reads, with vectors for them; and the speech track made of them.

How the vectors are learnt stands in `learning.narrated.word_vectors`.
"""

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Self

import numpy as np
import torch
from numpy.typing import NDArray

from cookscribe.errors import BadFileError
from cookscribe.files import MOST_DESCRIPTION, read_json, write_json
from cookscribe.model_folder import read_tensors, write_tensors
from cookscribe.senses.transcripts import Transcript
from cookscribe.text.tokens import ptb_tokens
from cookscribe.track import FeatureTrack

ENCODER = "heard"
WORDS, VECTORS = "words.json", "vectors.safetensors"
PADDING, UNKNOWN = "[PAD]", "[UNK]"

WIDTH = 64  # numbers per word

# Where in a film, as a share of it, each tenth of its words is said: the mean of the training videos whose words have
# times: a little is shown before the first word and behind the last one.
SAID_BY = (0.023, 0.105, 0.193, 0.284, 0.377, 0.473, 0.569, 0.669, 0.770, 0.871, 0.983)

STRIDE = 2.0  # seconds between two rows of a track
NEAR, WIDE = 4.0, 20.0  # standard deviations in seconds of the two windows
MOST_DISTANCES = 8_000_000  # between moments and words, held at once: long films are done in parts


@lru_cache(maxsize=1 << 16)
def plain(word: str) -> tuple[str, ...]:
    """A heard word without punctuation, in lower case; "olive-oil," gives ("olive-oil",) and "..." nothing."""
    return tuple(re.findall(r"[a-z0-9]+(?:[-'][a-z0-9]+)*", word.lower()))


def said_at(transcript: Transcript) -> NDArray[np.float64]:
    """(W,) the middle of each word in seconds; where times were only spread evenly, a better guess."""
    middles: NDArray[np.float64] = transcript.times.mean(axis=1)
    if len(middles) and not transcript.timed:
        whole = float(transcript.times[-1, 1])
        tenths = np.linspace(0.0, whole, len(SAID_BY))
        middles = np.interp(middles, tenths, np.array(SAID_BY) * whole)
    return middles


@dataclass(frozen=True, eq=False)
class TranscriptWords:
    """The W words of a transcript that are read.

    Attributes:
        ids: (W,) numbers in the word space; times: (W,) seconds, increasing.
        timed: whether the times are a recogniser's.
    """

    ids: NDArray[np.int64]
    times: NDArray[np.float64]
    timed: bool


@dataclass(frozen=True, eq=False)
class WordSpace:
    """Words by number and their vectors.

    Attributes:
        words: the first two are padding and the unknown word.
        vectors: (V, WIDTH) float32; zeros for the first two.
        weights: (V,) how much a word counts in a mean: the logarithm of how few videos it is heard in.
    """

    words: tuple[str, ...]
    vectors: NDArray[np.float32]
    weights: NDArray[np.float32]

    @cached_property
    def number(self) -> dict[str, int]:
        """Number of each word."""
        return {word: number for number, word in enumerate(self.words)}

    def heard(self, transcript: Transcript) -> TranscriptWords:
        """The words of a transcript that are read, with their middle times; better guesses where times are guessed."""
        ids, times = [], []
        for word, time in zip(transcript.words, said_at(transcript).tolist(), strict=True):
            for token in plain(word):
                if token in self.number:
                    ids.append(self.number[token])
                    times.append(time)
        return TranscriptWords(np.array(ids, dtype=np.int64), np.array(times, dtype=np.float64), transcript.timed)

    def ids(self, text: str) -> list[int]:
        """Numbers of the words of a name or sentence that are read."""
        return [self.number[token] for token in ptb_tokens(text) if token in self.number]

    @property
    def track_width(self) -> int:
        """Numbers per row of a track."""
        return 3 * int(self.vectors.shape[1]) + 2

    def track(self, heard: TranscriptWords, duration: float) -> FeatureTrack:
        """What is said around each moment, seconds around it and half a minute, and in the whole video.

        Rows are means of word vectors, scaled to length 1; then how much is said there, and whether times are known.
        """
        times = np.minimum((np.arange(max(1, round(duration / STRIDE))) + 0.5) * STRIDE, duration)
        vectors = self.vectors[heard.ids] * self.weights[heard.ids, None]
        rows = max(1, MOST_DISTANCES // max(1, len(heard.times)))
        near, density, wide = (
            np.concatenate(parts)
            for parts in zip(
                *(_around(times[n : n + rows], heard.times, vectors) for n in range(0, len(times), rows)), strict=True
            )
        )
        whole = np.repeat(_unit(vectors.sum(axis=0, keepdims=True)), len(times), axis=0)
        known = np.full((len(times), 1), float(heard.timed))
        return FeatureTrack(
            times, np.concatenate([near, wide, whole, density, known], axis=1).astype(np.float32), ENCODER, duration
        )

    def save(self, folder: Path) -> None:
        """Write words and vectors (half precision)."""
        folder.mkdir(parents=True, exist_ok=True)
        tensors = {"vectors": torch.from_numpy(self.vectors).half(), "weights": torch.from_numpy(self.weights)}
        write_tensors(folder / VECTORS, tensors, {})
        write_json(folder / WORDS, list(self.words), indent=None)

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Read what `save` wrote."""
        words = read_json(folder / WORDS, MOST_DESCRIPTION)
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            raise BadFileError(folder / WORDS, "is not a list of words", "train again")
        shapes = {"vectors": (len(words), WIDTH), "weights": (len(words),)}
        tensors, _ = read_tensors(folder / VECTORS, {name: torch.empty(s, device="meta") for name, s in shapes.items()})
        vectors, weights = tensors["vectors"], tensors["weights"]
        if not (vectors.isfinite().all() and weights.isfinite().all()):
            raise BadFileError(folder / VECTORS, "contains numbers that are not finite", "train again")
        return cls(tuple(words), vectors.float().numpy(), weights.float().numpy())


def _around(
    times: NDArray[np.float64], said: NDArray[np.float64], vectors: NDArray[np.float32]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Mean vectors of what is said near each of the times, how much that is, and mean vectors of a wider stretch."""
    distance = np.square(times[:, None] - said[None, :])
    near, wide = (np.exp(-0.5 * distance / spread**2) for spread in (NEAR, WIDE))
    return _unit(near @ vectors), np.log1p(near.sum(axis=1, keepdims=True)) / 3, _unit(wide @ vectors)


def _unit(rows: NDArray[np.floating]) -> NDArray[np.float64]:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    result: NDArray[np.float64] = rows / np.maximum(lengths, 1e-6)
    return result
