"""Frequent words, counted around each moment."""

import math

import numpy as np

from cookscribe.senses.transcripts import Transcript
from cookscribe.senses.word_counts import frequent_words, word_counts


def test_the_most_frequent_words() -> None:
    said = [Transcript.from_text(text, 9.0) for text in ("Now stir, now stir!", "now wait", "stir; add")]
    assert frequent_words(said, 3) == ("now", "stir", "add")


def test_words_count_where_they_are_said() -> None:
    said = Transcript.from_segments(
        [(10.0, 10.2, "Now,"), (11.0, 11.2, "stir"), (90.0, 90.2, "now"), (95.0, 96.0, "x")]
    )
    found = word_counts(said, ("now", "stir", "never"), 10, 100.0)
    # The window has half a bin, 5 s, on either side.
    for row in range(10):
        at = 10.0 * row + 5.0
        now, stir = (sum(math.exp(-0.5 * ((t - at) / 5) ** 2) for t in times) for times in ((10.1, 90.1), (11.1,)))
        np.testing.assert_allclose(found[row], [math.log1p(now), math.log1p(stir), 0.0], rtol=1e-5, atol=1e-9)
    assert not word_counts(Transcript((), np.empty((0, 2)), timed=True), ("now",), 4, 8.0).any()
