"""Which of several sentences is written: one that no cook would laugh at, and that other evidence agrees with."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cookscribe.text.faults import FaultFinder

# How well sentences fit event n of a film by other evidence, to be added to their mean log-probabilities.
Judge = Callable[[int, Sequence[str]], Sequence[float]]


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
