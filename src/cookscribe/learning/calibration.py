"""How sure is sure: confidences of held-out steps, turned into the share of steps that are right."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from cookscribe.bundle import log_odds
from cookscribe.candidates import tiou_matrix
from cookscribe.evaluation.events import Events
from cookscribe.learning.datasets.records import AnnotatedVideo
from cookscribe.text.tokens import ptb_tokens

ALIKE = 0.5


def right_steps(predicted: Events, video: AnnotatedVideo, alike: float = ALIKE) -> list[bool]:
    """Which steps are right: one true step has about the same time and about the same words.

    Args:
        alike: least tIoU of the two steps and least F1 of the words of their sentences.
    """
    near = tiou_matrix(predicted.spans, video.spans) >= alike
    return [
        any(word_f1(sentence, video.sentences[number]) >= alike for number in np.flatnonzero(row))
        for row, sentence in zip(near, predicted.sentences, strict=True)
    ]


def word_f1(one: str, other: str) -> float:
    """Harmonic mean of the shares of words that each sentence has in common with the other."""
    first, second = set(ptb_tokens(one)), set(ptb_tokens(other))
    return 2 * len(first & second) / (len(first) + len(second)) if first and second else 0.0


def calibrate(confidences: Sequence[float], right: Sequence[bool]) -> tuple[float, float]:
    """Slope and shift of a logistic regression from the log odds of a confidence to being right (Platt, 1999)."""
    x = np.array([log_odds(value) for value in confidences])
    # A little pull towards "as sure as it says", for when there is hardly anything to learn from.
    slope, shift = logistic_regression(x[:, None], right, np.array([1.0, 0.0]), 1e-2)
    return slope, shift


def logistic_regression(
    signs: NDArray[np.float64], right: Sequence[bool], start: NDArray[np.float64], pull: float
) -> list[float]:
    """Weights of the (N, D) signs and the shift, (D + 1,), that say how likely each of N steps is right.

    Args:
        start: what the weights are where nothing can be learnt; pull: how strongly they are drawn to it.
    """
    # Platt's targets: never quite 0 or 1, so that a perfect column of few examples does not run away.
    yes, no = sum(right), len(right) - sum(right)
    y = np.where(np.array(right), (yes + 1) / (yes + 2), 1 / (no + 2))
    design = np.concatenate([signs, np.ones((len(signs), 1))], axis=1)
    weights = start
    for _ in range(100):
        p = 0.5 + 0.5 * np.tanh(design @ weights / 2)
        slope = design.T @ (y - p) - pull * (weights - start)
        step = np.linalg.solve(design.T @ (design * (p * (1 - p))[:, None]) + pull * np.eye(len(start)), slope)
        weights = weights + step * min(1.0, 1.0 / float(np.abs(step).max() + 1e-12))
    return [float(weight) for weight in weights]


def expected_calibration_error(confidences: Sequence[float], right: Sequence[bool]) -> float:
    """Mean distance between how sure and how often right, over five equally filled bins."""
    order = np.argsort(confidences)
    sure, true = np.asarray(confidences, dtype=np.float64)[order], np.asarray(right, dtype=np.float64)[order]
    parts = [part for part in np.array_split(np.arange(len(order)), 5) if len(part)]
    return float(sum(len(part) * abs(sure[part].mean() - true[part].mean()) for part in parts) / max(1, len(order)))


def ranked_rightly(confidences: Sequence[float], right: Sequence[bool]) -> float:
    """How often a right step is surer than a wrong one: the area under the ROC curve; 0.5 if there is no such pair."""
    sure, true = np.asarray(confidences, dtype=np.float64), np.asarray(right, dtype=bool)
    if true.all() or not true.any():
        return 0.5
    above = sure[true][:, None] - sure[~true][None, :]
    return float((above > 0).mean() + 0.5 * (above == 0).mean())
