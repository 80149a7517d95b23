"""Repetition R@n: the share of a video's n-grams that were said before, as the evaluation of MART counts them."""

import re
from collections import Counter
from collections.abc import Sequence

from cookscribe.evaluation.events import Video

_BLANKS = re.compile(" {2,}")


def repetition(videos: Sequence[Video], n: int = 4) -> float:
    """Mean over the videos that have an entry in the prediction (an empty one counts 0); 0 when there is none."""
    shares = [repeated_share(video.predicted.sentences, n) for video in videos if video.predicted is not None]
    return sum(shares) / len(shares) if shares else 0.0


def repeated_share(sentences: Sequence[str], n: int) -> float:
    """Share of the n-grams of all sentences together that repeat an earlier one. n-grams end with their sentence.

    Words are taken as the published program takes them: case and punctuation stay, except commas and one final full
    stop; blanks before the first word make an empty word.
    """
    counts: Counter[str] = Counter()
    for sentence in sentences:
        words = _BLANKS.sub(" ", sentence.removesuffix(".").rstrip(" ").replace(",", " ")).split(" ")
        counts.update("_".join(words[i : i + n]) for i in range(len(words) - n + 1))
    total = sum(counts.values())
    return (total - len(counts)) / total if total else 0.0
