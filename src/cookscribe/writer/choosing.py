"""Which of several sentences is written: one that no cook would laugh at, and that the others agree with.

Minimum Bayes risk: the sentence whose expected similarity to all sentences, by their probabilities, is highest. The
likeliest sentence is often a short, bare one; the one in the middle of the others says what most of them say.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence

from cookscribe.text.faults import FaultFinder

ORDERS = 2  # of the runs of words that are compared

# How well sentences fit event n of a film by other evidence, to be added to their mean log-probabilities.
Judge = Callable[[int, Sequence[str]], Sequence[float]]

Grams = list[Counter[tuple[str, ...]]]


def grams(sentence: str) -> Grams:
    """Runs of one, two, ... words with their counts."""
    words = sentence.split()
    return [
        Counter(tuple(words[n : n + order]) for n in range(len(words) - order + 1)) for order in range(1, ORDERS + 1)
    ]


def likeness(one: Grams, other: Grams) -> float:
    """Mean F1 of the shared runs of words, 0 to 1."""
    scores = []
    for mine, theirs in zip(one, other, strict=True):
        total = mine.total() + theirs.total()
        scores.append(2 * (mine & theirs).total() / total if total else 1.0)
    return sum(scores) / len(scores)


def best_sentence(
    sentences: Sequence[tuple[str, float]],
    earlier: Sequence[str],
    faults: FaultFinder,
    agreement: float,
    fits: Sequence[float] | None = None,
) -> int:
    """Position of the sentence to write.

    Args:
        sentences: each with its mean log-probability, best first.
        earlier: the sentences of the recipe so far.
        agreement: weight of the expected likeness to the others beside the mean log-probability; 0 ranks as given.
        fits: of each sentence, see `Judge`; None ranks as given.
    """
    if fits is not None:
        fitting = [(text, score + fit) for (text, score), fit in zip(sentences, fits, strict=True)]
        order = sorted(range(len(fitting)), key=lambda n: -fitting[n][1])
        return order[best_sentence([fitting[n] for n in order], earlier, faults, agreement)]
    clean = [n for n, (text, _) in enumerate(sentences) if not faults.of(text, earlier)] or list(range(len(sentences)))
    if not agreement or len(clean) == 1:
        return clean[0]
    runs = [grams(text) for text, _ in sentences]
    chances = [math.exp(score) for _, score in sentences]
    total = sum(chances)

    def value(n: int) -> float:
        agrees = sum(chance * likeness(runs[n], other) for chance, other in zip(chances, runs, strict=True)) / total
        return agreement * agrees + sentences[n][1]

    return max(clean, key=value)
