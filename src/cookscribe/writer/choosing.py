"""Which of several sentences is written: one that no cook would laugh at, and that other evidence agrees with.

Two writers who err in different ways are right together more often than one of them: a sentence counts for more if it
is like the draft of the recipe model.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from cookscribe.text.faults import FaultFinder

ORDERS = 2  # of the runs of words that are compared

# How well sentences fit event n of a film by other evidence, to be added to their mean log-probabilities.
Judge = Callable[[int, Sequence[str]], Sequence[float]]


def likeness(one: str, other: str) -> float:
    """Mean F1 of the words and of the pairs of words that two sentences share, 0 to 1."""
    scores = []
    for order in range(1, ORDERS + 1):
        mine, theirs = (Counter(_runs(text.split(), order)) for text in (one, other))
        total = mine.total() + theirs.total()
        scores.append(2 * (mine & theirs).total() / total if total else 1.0)
    return sum(scores) / len(scores)


def _runs(words: Sequence[str], order: int) -> list[tuple[str, ...]]:
    return [tuple(words[n : n + order]) for n in range(len(words) - order + 1)]


def best_sentence(
    sentences: Sequence[tuple[str, float]], earlier: Sequence[str], faults: FaultFinder, fits: Sequence[float]
) -> int:
    """Position of the sentence to write: the best one without faults if there is one.

    Args:
        sentences: each with its mean log-probability.
        earlier: the sentences of the recipe so far.
        fits: what other evidence adds to each, see `Judge`.
    """
    clean = [n for n, (text, _) in enumerate(sentences) if not faults.of(text, earlier)] or range(len(sentences))
    return max(clean, key=lambda n: sentences[n][1] + fits[n])
