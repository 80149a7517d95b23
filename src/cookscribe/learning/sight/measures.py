"""How much sight sees, on stills that the heads have not seen: the figures of the card."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray

from cookscribe.learning.sight.fitting import guesses_for, precisions
from cookscribe.seeds import generator
from cookscribe.senses.sight import KINDS, LEAST, SCENES

if TYPE_CHECKING:
    from cookscribe.learning.sight.ingredients import ListedVideo
    from cookscribe.learning.sight.run import SightData

Floats = NDArray[np.float64]
AMONG, DRAWS = 50, 10
BINS = 10


def average_precision(scores: Floats, truth: Floats) -> float:
    """Mean precision at the ranks of the true ones; ties in the order given."""
    ordered = truth[np.argsort(-scores, kind="stable")]
    precision = np.cumsum(ordered) / np.arange(1, len(ordered) + 1)
    return float((precision * ordered).sum() / max(1.0, ordered.sum()))


def calibration_error(sure: Floats, right: Floats) -> float:
    """Mean distance between how sure and how often right, over ten bins of equal width."""
    bins = np.minimum((sure * BINS).astype(int), BINS - 1)
    gaps = [abs(sure[bins == n].sum() - right[bins == n].sum()) for n in range(BINS)]
    return float(sum(gaps) / max(1, sure.size))


def recall_at_5(odds: Floats, name: str, draws: int = DRAWS) -> float:
    """Percent of rows whose own column is among the best five of 50 columns drawn at random, its own among them.

    Args:
        odds: (N, N) of picture and sentence.
    """
    random, hits = generator("true sentence among 50", name), 0
    count = len(odds)
    for _ in range(draws):
        for row in range(count):
            others = random.choice(count - 1, min(AMONG, count) - 1, replace=False)
            others += others >= row
            hits += int((odds[row, others] >= odds[row, row]).sum()) < 5
    return 100.0 * hits / (draws * count)


def held_out_recall(held: SightData) -> float:
    """Recall at 5 of 50 on training stills, percent: mean over folds, of which nothing is known when they are judged.

    The errors whose covariance is used are those of heads that have seen neither their own fold nor the judged one: a
    head that has seen the judged sentences leaves traces of them in its errors elsewhere, which is worth five points.
    """
    x, vectors = torch.from_numpy(held.rows), torch.from_numpy(held.vectors)
    fold = torch.from_numpy(held.fold)
    found = []
    for judged in range(int(fold.max()) + 1):
        known = (fold >= 0) & (fold != judged)
        guesses = torch.zeros_like(vectors)
        for part in range(int(fold.max()) + 1):
            learnt = known & (fold != part)
            guesses[fold == part] = guesses_for(x[fold == part], x[learnt], vectors[learnt], held.config.encoder)
        errors, gained = precisions(vectors[known], guesses[known])
        v, g = vectors[fold == judged], guesses[fold == judged]
        odds = g @ errors @ v.T - 0.5 * ((v @ gained) * v).sum(dim=1)
        found.append(recall_at_5(odds.numpy(), f"fold {judged}"))
    return float(np.mean(found))


def list_precision(videos: list[ListedVideo]) -> tuple[float, int]:
    """Percent: mean over steps of the average precision over the list; and how many steps use something listed.

    Lists are alphabetical, not in the order of use; equal scores are ordered at random.
    """
    random = generator("shuffled lists")
    found = []
    for video in videos:
        for odds, used in zip(video.odds, video.used, strict=True):
            if used.any():
                order = random.permutation(len(used))
                found.append(average_precision(odds[order], used[order]))
    return 100.0 * float(np.mean(found)) if found else float("nan"), len(found)


def figures_of(
    held: SightData,
    words: Floats,
    lists: list[ListedVideo],
    scenes: dict[str, Any],
    distance: Floats,
) -> dict[str, Any]:
    """Figures on training stills, each by heads that have not seen its video. Validation stills are not looked at."""
    training = held.training
    named = held.named[training].astype(np.float64)
    sure = words[training]
    kinds = np.array(held.config.kinds)
    odds, truth = scenes["odds"], scenes["kinds"]
    in_list = [video for video in lists if held.fold[video.rows[0]] >= 0]
    odds_of_list = np.concatenate([video.odds.ravel() for video in in_list])
    used = np.concatenate([video.used.ravel() for video in in_list])
    clear = sure >= LEAST
    precision = np.array([average_precision(sure[:, n], named[:, n]) for n in range(len(kinds))])
    return {
        "stills": int(training.sum()),
        "words": {kind: int((kinds == kind).sum()) for kind in KINDS},
        "mean average precision": {
            kind: round(float(np.mean(precision[kinds == kind])), 4) for kind in KINDS if (kinds == kind).any()
        },
        "prior average precision": round(float(named.mean()), 4),
        "calibration error": round(calibration_error(sure, named), 4),
        "calibration error of cues": round(calibration_error(sure[clear], named[clear]), 4),
        "log loss": round(float(-(named * np.log(sure) + (1 - named) * np.log1p(-sure)).sum(axis=1).mean()), 3),
        "recall at 5 of 50": round(held_out_recall(held), 1),
        "list average precision": round(list_precision(in_list)[0], 1),
        "list calibration error": round(calibration_error(0.5 + 0.5 * np.tanh(odds_of_list / 2), used), 4),
        "scenes": {
            scene: {
                "pictures": truth.count(scene),
                "average precision": round(
                    average_precision(odds[:, n], np.array([kind == scene for kind in truth], dtype=np.float64)), 3
                ),
            }
            for n, scene in enumerate(SCENES)
        },
        "distance of pictures of cooking": {
            share: round(float(np.quantile(distance[training], float(share))), 2) for share in ("0.5", "0.95", "0.99")
        },
    }
