"""Linear probes: how much of the truth can be read off pooled features by a linear map, and nothing more.

Least squares with a ridge, one column per class. A probe has no memory and no list of ingredients, so it measures what
a feature shows by itself.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from cookscribe.text.tokens import ptb_tokens

Array = NDArray[np.floating]

RIDGE = 0.3  # in units of the variance of the features


@dataclass(frozen=True, eq=False)
class LinearProbe:
    """Scores = (features - centre) @ weights + prior. Shapes: centre (D,), weights (D, C), prior (C,)."""

    centre: NDArray[np.float64]
    weights: NDArray[np.float64]
    prior: NDArray[np.float64]

    @classmethod
    def fit(cls, features: Array, targets: Array, ridge: float = RIDGE) -> Self:
        """Fit to (E, D) features and (E, C) targets between 0 and 1."""
        values = np.asarray(features, dtype=np.float64)
        wanted = np.asarray(targets, dtype=np.float64)
        centre, prior = values.mean(axis=0), wanted.mean(axis=0)
        values = values - centre
        weight = ridge * len(values) * max(float(values.var()), 1e-12)
        if len(values) < values.shape[1]:  # the same solution from the smaller of the two systems
            kernel = values @ values.T + weight * np.eye(len(values))
            return cls(centre, values.T @ np.linalg.solve(kernel, wanted - prior), prior)
        gram = values.T @ values + weight * np.eye(values.shape[1])
        return cls(centre, np.linalg.solve(gram, values.T @ (wanted - prior)), prior)

    def scores(self, features: Array) -> NDArray[np.float64]:
        """(N, D) features give (N, C) scores."""
        result: NDArray[np.float64] = (np.asarray(features, dtype=np.float64) - self.centre) @ self.weights + self.prior
        return result


@dataclass(frozen=True, eq=False)
class SentenceProbe:
    """A linear captioner: a probe reads words off a feature, and the training sentence that fits them best is said.

    Words count by how rare they are; likeness is the cosine. It needs no memory, no ingredients and no grammar, so it
    says how far a model can get on what single events show.

    Attributes:
        probe: from a feature to the words.
        rarity: (W,) log of the inverse document frequency of each word.
        memory: (E, W) training sentences as directions.
        sentences: E training sentences.
    """

    probe: LinearProbe
    rarity: NDArray[np.float64]
    memory: NDArray[np.float32]
    sentences: tuple[str, ...]

    @classmethod
    def fit(cls, features: Array, sentences: Sequence[str], words: int = 800) -> Self:
        """Fit to (E, D) features and E sentences, with the most common `words` words."""
        said = [frozenset(ptb_tokens(sentence)) for sentence in sentences]
        counts = Counter(word for tokens in said for word in sorted(tokens))
        number = {word: index for index, (word, _) in enumerate(counts.most_common(words))}
        table = np.zeros((len(said), len(number)))
        for row, tokens in enumerate(said):
            table[row, [number[word] for word in sorted(tokens) if word in number]] = 1.0
        rarity = np.log(len(said) / np.maximum(table.sum(axis=0), 1.0))
        memory = table * rarity
        memory /= np.maximum(np.linalg.norm(memory, axis=1, keepdims=True), 1e-12)
        return cls(LinearProbe.fit(features, table), rarity, memory.astype(np.float32), tuple(sentences))

    def caption(self, features: Array) -> list[str]:
        """A training sentence for each of (N, D) features."""
        # What a feature says beyond what every sentence is likely to say anyway.
        wanted = ((self.probe.scores(features) - self.probe.prior) * self.rarity).astype(np.float32)
        return [self.sentences[index] for index in (wanted @ self.memory.T).argmax(axis=1)]


@dataclass(frozen=True)
class Reading:
    """A probe's share of right answers, and the share that always giving the most common answer has."""

    right: float
    chance: float
    count: int


def classify(features: Array, labels: Sequence[str], new_features: Array, new_labels: Sequence[str]) -> Reading:
    """Fit a probe to labelled events and let it name the label of new ones."""
    names = sorted(set(labels))
    truth = np.array([label in names for label in new_labels])
    probe = LinearProbe.fit(features, _one_hot(labels, names))
    guesses = [names[index] for index in probe.scores(new_features).argmax(axis=1)]
    common = Counter(labels).most_common(1)[0][0]
    right = np.array([guess == label for guess, label in zip(guesses, new_labels, strict=True)])
    always = np.array([common == label for label in new_labels])
    return Reading(float(right[truth].mean()), float(always[truth].mean()), int(truth.sum()))


def name_one(
    features: Array, sets: Sequence[frozenset[str]], new_features: Array, new_sets: Sequence[frozenset[str]], most: int
) -> Reading:
    """Let a probe name one element of each new set (the `most` common elements compete); right if it is in the set."""
    counts = Counter(element for elements in sets for element in sorted(elements))
    names = [name for name, _ in counts.most_common(most)]
    targets = np.array([[name in elements for name in names] for elements in sets], dtype=np.float64)
    probe = LinearProbe.fit(features, targets)
    guesses = probe.scores(new_features).argmax(axis=1)
    kept = [index for index, elements in enumerate(new_sets) if elements]
    right = [names[guesses[index]] in new_sets[index] for index in kept]
    always = [names[0] in new_sets[index] for index in kept]
    return Reading(float(np.mean(right)), float(np.mean(always)), len(kept))


def _one_hot(labels: Sequence[str], names: Sequence[str]) -> NDArray[np.float64]:
    number = {name: index for index, name in enumerate(names)}
    return np.eye(len(names))[[number[label] for label in labels]]
