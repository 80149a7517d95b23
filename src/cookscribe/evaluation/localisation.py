"""Precision and recall of the predicted events, without regard to their sentences, as dvc_eval counts them."""

from dataclasses import dataclass

import numpy as np

from cookscribe.evaluation.pairing import MAX_PROPOSALS, THRESHOLDS, Pairing


@dataclass(frozen=True)
class Localisation:
    """Mean over all videos of the truth (a video without predictions counts 0), as fractions.

    `precision` and `recall` are means over the thresholds, `f1` is made of these two means.
    """

    precision: float
    recall: float
    f1: float
    per_tiou: dict[float, tuple[float, float]]


def localisation(pairing: Pairing) -> Localisation:
    """A prediction is right when its tIoU with some true event is strictly greater than the threshold."""
    listed = pairing.predicted_place < MAX_PROPOSALS
    guesses = np.minimum(pairing.predicted_count, MAX_PROPOSALS)
    per_tiou: dict[float, tuple[float, float]] = {}
    for threshold in THRESHOLDS:
        close = (pairing.tiou > threshold) & listed[pairing.pair_predicted]
        covered = np.unique(pairing.pair_truth[close])
        right = np.unique(pairing.pair_predicted[close])
        recalled = np.bincount(pairing.truth_video[covered], minlength=pairing.videos) / pairing.truth_count
        precise = np.bincount(pairing.predicted_video[right], minlength=pairing.videos) / np.maximum(guesses, 1)
        per_tiou[threshold] = float(precise.mean()), float(recalled.mean())
    precision, recall = (float(np.mean([pair[i] for pair in per_tiou.values()])) for i in (0, 1))
    return Localisation(precision, recall, f1_score(precision, recall), per_tiou)


def f1_score(precision: float, recall: float) -> float:
    """Harmonic mean; 0 when both are 0."""
    return 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0
