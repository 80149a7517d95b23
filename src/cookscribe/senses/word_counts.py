"""How often frequent words are said around each moment: "now", "then" and "thanks" tell where a step begins or ends."""

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from cookscribe.senses.transcripts import Transcript
from cookscribe.senses.word_space import plain, said_at

# Standard deviation of the window around a moment: in bins, and at least so many seconds.
SPREAD, LEAST_SPREAD = 0.5, 2.0


def frequent_words(transcripts: Iterable[Transcript], most: int) -> tuple[str, ...]:
    """The words that are said most often, the most frequent first."""
    counts = Counter(token for transcript in transcripts for word in transcript.words for token in plain(word))
    return tuple(sorted(counts, key=lambda word: (-counts[word], word))[:most])


def word_counts(transcript: Transcript, words: Sequence[str], bins: int, duration: float) -> NDArray[np.float32]:
    """(bins, W) log(1 + how often each of the W words is said around the centre of each of the equal bins)."""
    number = {word: column for column, word in enumerate(words)}
    said = [
        (number[token], time)
        for word, time in zip(transcript.words, said_at(transcript).tolist(), strict=True)
        for token in plain(word)
        if token in number
    ]
    columns = np.array([column for column, _ in said], dtype=np.int64)
    times = np.array([time for _, time in said], dtype=np.float64)
    spread = max(LEAST_SPREAD, SPREAD * duration / bins)
    centres = (np.arange(bins) + 0.5) * (duration / bins)
    rows = [np.bincount(columns, np.exp(-0.5 * ((times - at) / spread) ** 2), minlength=len(words)) for at in centres]
    return np.log1p(np.stack(rows)).astype(np.float32)
