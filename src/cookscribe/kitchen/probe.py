"""Linear probes: how much of the truth can be read off pooled features by a linear map, and nothing more.

Least squares with a ridge, one column per class. A probe has no memory and no list of ingredients, so it measures what
a feature shows by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.floating]

RIDGE = 0.3  # in units of the variance of the features


@dataclass(frozen=True, eq=False)
class LinearProbe:
    """Scores = (features - centre) @ weights + prior. Shapes: centre (D,), weights (D, C), prior (C,)."""

    centre: NDArray[np.float64]
    weights: NDArray[np.float64]
    prior: NDArray[np.float64]

    @classmethod
    def fit(cls, features: Array, targets: Array, ridge: float = RIDGE) -> LinearProbe:
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
    common = max(names, key=list(labels).count)
    right = np.array([guess == label for guess, label in zip(guesses, new_labels, strict=True)])
    always = np.array([common == label for label in new_labels])
    return Reading(float(right[truth].mean()), float(always[truth].mean()), int(truth.sum()))


def name_one(
    features: Array, sets: Sequence[frozenset[str]], new_features: Array, new_sets: Sequence[frozenset[str]], most: int
) -> Reading:
    """Let a probe name one element of each new set (the `most` common elements compete); right if it is in the set."""
    counts: dict[str, int] = {}
    for elements in sets:
        for element in elements:
            counts[element] = counts.get(element, 0) + 1
    names = sorted(sorted(counts), key=lambda name: -counts[name])[:most]
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
