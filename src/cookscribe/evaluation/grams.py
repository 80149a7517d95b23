"""n-gram counts of many sentences at once, as flat arrays.

All caption scores that count n-grams (BLEU, CIDEr-D) read the same three columns: which sentence, which n-gram, how
often. Words and n-grams are numbered once for all sentences, so that equal numbers mean equal n-grams.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

ORDERS = 4
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Grams:
    """Distinct n-grams (n = 1..4) of S sentences.

    Attributes:
        sentence: (E,) index of the sentence, not decreasing within an order.
        gram: (E,) number of the n-gram; numbers of different orders differ.
        order: (E,) n - 1.
        count: (E,) how often the n-gram stands in the sentence.
        lengths: (S,) words per sentence.
        size: how many distinct n-grams there are.
    """

    sentence: Ints
    gram: Ints
    order: Ints
    count: Ints
    lengths: Ints
    size: int


def count_grams(sentences: Sequence[Sequence[str]]) -> Grams:
    """Count the n-grams of tokenised sentences."""
    numbers: dict[str, int] = {}
    words = np.array(
        [numbers.setdefault(word, len(numbers)) for sentence in sentences for word in sentence], dtype=np.int64
    )
    lengths = np.array([len(sentence) for sentence in sentences], dtype=np.int64)
    owner = np.repeat(np.arange(len(sentences)), lengths)
    columns: list[tuple[Ints, Ints, Ints, Ints]] = []
    gram, offset = words, 0
    for order in range(ORDERS):
        if order:
            # An n-gram is an (n-1)-gram and the word after it, provided that both are of one sentence.
            whole = owner[:-order] == owner[order:] if order < len(owner) else np.zeros(0, dtype=bool)
            joined = gram[: len(whole)] * max(len(numbers), 1) + words[order : order + len(whole)]
            joined[~whole] = -1
            distinct, gram = np.unique(joined, return_inverse=True)
            first = 1 if len(distinct) and distinct[0] == -1 else 0
            here, size = np.flatnonzero(whole), len(distinct) - first
            found = gram[here] - first
        else:
            here, size, found = np.arange(len(words)), len(numbers), words
        code, count = np.unique(owner[here] * max(size, 1) + found, return_counts=True)
        sentence, number = np.divmod(code, max(size, 1))
        columns.append((sentence, number + offset, np.full(len(code), order), count))
        offset += size
    sentence, number, orders, count = (np.concatenate(column) for column in zip(*columns, strict=True))
    return Grams(sentence, number, orders, count.astype(np.int64), lengths, offset)


def sums(index: Ints, values: NDArray[np.floating] | Ints, size: int) -> NDArray[np.float64]:
    """(size,) sum of the values with each index. (`numpy.bincount` answers with integers when there are no values.)"""
    return np.bincount(index, values, size).astype(np.float64, copy=False)


def ranges(starts: Ints, ends: Ints) -> tuple[Ints, Ints]:
    """Write out the integer ranges [start, end): which range each value is from, and the values."""
    sizes = ends - starts
    source = np.repeat(np.arange(len(sizes)), sizes)
    within = np.arange(len(source)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return source, starts[source] + within
