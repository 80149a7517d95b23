"""Learning the space in which pictures and sentences are compared, from all training sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from cookscribe.senses.sentence_space import SentenceSpace, bags_of
from cookscribe.text.ingredients import canonical
from cookscribe.text.tokens import ptb_tokens, word_set

# Chosen by cross-validation on the training stills.
SIZE = 300  # directions that are kept
KNOWN = 8  # sentences that have a word before it counts
_NO_CONTENT = word_set("the a and of in to on with it some for into from over is them an up at as until by")


def vocabulary_of(sentences: Sequence[str]) -> tuple[tuple[str, ...], NDArray[np.float64]]:
    """V canonical words that enough sentences have, and (V,) how rare each is: minus the log of its share."""
    having = Counter(word for text in sentences for word in {canonical(token) for token in ptb_tokens(text)})
    words = tuple(word for word, count in sorted(having.items()) if count >= KNOWN and word not in _NO_CONTENT)
    return words, -np.log(np.array([having[word] for word in words], dtype=np.float64) / max(1, len(sentences)))


def learn_space(sentences: Sequence[str], meanings: NDArray[np.float64]) -> tuple[tuple[str, ...], SentenceSpace]:
    """The vocabulary and the space of S sentences with their (S, 384) vectors: the main directions of both parts.

    Both parts have rows of length 1, so neither outweighs the other.
    """
    words, rarity = vocabulary_of(sentences)
    bags = bags_of(sentences, {word: n for n, word in enumerate(words)}, rarity)
    both = np.concatenate([meanings, bags], axis=1)
    mean = both.mean(axis=0)
    covariance = (both - mean).T @ (both - mean) / len(both)
    turned = np.linalg.eigh(covariance)[1][:, ::-1][:, :SIZE]
    # The sign of an eigenvector is any; the largest part is made positive, so that every machine has the same.
    turned = turned * np.sign(turned[np.abs(turned).argmax(axis=0), np.arange(turned.shape[1])])
    space = SentenceSpace(words, turned.shape[1])
    tables = {
        "rarity": rarity,
        "meaning": turned[: meanings.shape[1]],
        "spelling": turned[meanings.shape[1] :],
        "middle": mean @ turned,
    }
    for name, table in space.named_parameters():
        table.data.copy_(torch.from_numpy(np.ascontiguousarray(tables[name])))
    return words, space
