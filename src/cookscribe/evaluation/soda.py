"""SODA_c: how well the predictions tell the story, by the best order-preserving assignment to the true events.

For each video a dynamic programme over (truth x prediction), both in order of start, picks the pairs with the highest
sum of tIoU x caption score; precision divides it by the number of predictions, recall by the number of true events, and
F1 is averaged over videos. With a caption score of 1 it is "SODA tIoU".

Two flavours:

- `released`, comparable with papers. The program hands prediction and truth to the caption scorer in exchanged order,
  so that the prediction plays the reference: METEOR's recall and precision change places, and CIDEr takes its document
  frequencies from the predictions of the video (with a single prediction it is exactly 0). Videos without predictions
  are left out of the mean.
- `strict`: natural order, document frequencies from all true sentences, and a video without predictions counts as 0.
"""

from collections.abc import Mapping
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cookscribe.candidates import checked_spans
from cookscribe.errors import BadValueError
from cookscribe.evaluation.caption_pairs import CaptionPairs
from cookscribe.evaluation.events import Events, align
from cookscribe.evaluation.meteor import MeteorTable
from cookscribe.evaluation.pairing import Pairing, pair_videos

Floats = NDArray[np.float64]
SodaFlavour = Literal["released", "strict"]
SodaScorer = Literal["METEOR", "CIDEr", "tIoU"]
SODA_FLAVOURS: tuple[SodaFlavour, ...] = ("released", "strict")

_CELLS = 4_000_000  # cells of the padded dynamic programme held at once


def pair_ciders(pairs: CaptionPairs, flavour: SodaFlavour) -> Floats:
    """(K,) CIDEr-D of each overlapping pair."""
    table = pairs.table
    if flavour == "strict":
        return table.cider(table.idf_by_corpus(~pairs.is_garbage))[pairs.real]
    once = np.ones(len(pairs.hypotheses))
    documents = pairs.pairing.predicted_count.astype(np.float64)
    return table.cider(table.idf_by_group("hypotheses", once, documents), "hypotheses")[pairs.real]


def pair_texts(pairs: CaptionPairs, flavour: SodaFlavour) -> tuple[list[str], list[str]]:
    """Hypothesis and reference of each overlapping pair, in the order METEOR gets them."""
    predicted, truth = pairs.texts(pairs.real)
    return (predicted, truth) if flavour == "strict" else (truth, predicted)


def soda_scores(
    pairs: CaptionPairs, flavour: SodaFlavour, meteor: MeteorTable | None = None
) -> dict[SodaScorer, Floats]:
    """(V,) F1 of each video by scorer, as fractions; METEOR only when there is a table to read it from."""
    pairing = pairs.pairing
    values: dict[SodaScorer, Floats] = {"CIDEr": pair_ciders(pairs, flavour), "tIoU": np.ones(len(pairing.tiou))}
    if meteor is not None:
        values["METEOR"] = meteor.each(*pair_texts(pairs, flavour))
    return {scorer: story_scores(pairing, weights) for scorer, weights in values.items()}


def story_scores(pairing: Pairing, values: Floats) -> Floats:
    """(V,) F1 of each video for pair scores `values` (K,); 0 without predictions."""
    best = _best_sums(pairing, pairing.tiou * values)
    precision = best / np.maximum(pairing.predicted_count, 1)
    recall = best / pairing.truth_count
    both = precision + recall
    f1: Floats = np.divide(2 * precision * recall, both, out=np.zeros_like(both), where=both > 0)
    return f1


def _best_sums(pairing: Pairing, values: Floats) -> Floats:
    """(V,) highest sum of pair values along an order-preserving assignment, all videos of a block at once."""
    video = pairing.truth_video[pairing.pair_truth]
    row = pairing.truth_rank[pairing.pair_truth]
    column = pairing.predicted_rank[pairing.pair_predicted]
    result = np.zeros(pairing.videos)
    # Videos of similar size share a block, so that padding to the largest costs little.
    by_size = np.lexsort((pairing.truth_count, pairing.predicted_count))
    block_of, place = np.empty(pairing.videos, dtype=np.int64), np.empty(pairing.videos, dtype=np.int64)
    blocks: list[NDArray[np.int64]] = []
    start = 0
    while start < pairing.videos:
        end, rows, columns = start, 1, 1
        while end < pairing.videos:
            rows = max(rows, int(pairing.truth_count[by_size[end]]))
            columns = max(columns, int(pairing.predicted_count[by_size[end]]))
            if end > start and (end + 1 - start) * rows * columns > _CELLS:
                break
            end += 1
        members = by_size[start:end]
        block_of[members], place[members] = len(blocks), np.arange(len(members))
        blocks.append(members)
        start = end
    for number, members in enumerate(blocks):
        here = block_of[video] == number
        shape = (len(members), pairing.truth_count[members].max(), max(pairing.predicted_count[members].max(), 1))
        gain = np.zeros(shape)
        gain[place[video[here]], row[here], column[here]] = values[here]
        best = np.zeros((shape[0], shape[2] + 1))
        for step in range(shape[1]):
            best[:, 1:] = np.maximum(best[:, 1:], best[:, :-1] + gain[:, step])
            best = np.maximum.accumulate(best, axis=1)
        result[members] = best[:, -1]
    return result


def mean_story(pairing: Pairing, scores: Floats, flavour: SodaFlavour) -> float:
    """Mean over the videos that the flavour counts."""
    if flavour == "released":
        scores = scores[pairing.predicted_count > 0]
    return float(scores.mean()) if len(scores) else 0.0


def soda(
    truth: Mapping[str, Events],
    predictions: Mapping[str, Events],
    scorer: Literal["CIDEr", "tIoU"] = "CIDEr",
    flavour: SodaFlavour = "strict",
) -> float:
    """SODA x 100 without Java: fast enough to choose a checkpoint by.

    Args:
        truth: true events by video id.
        predictions: predicted events by video id; a video that is not there has no prediction.
        scorer: what weighs a pair beside its tIoU.
        flavour: `strict` or `released`, see the top of this module.
    """
    if scorer not in ("CIDEr", "tIoU") or flavour not in SODA_FLAVOURS:
        raise BadValueError("soda", f"no such scorer or flavour: {scorer!r}, {flavour!r}", "CIDEr or tIoU")
    videos = align(truth, predictions)
    pairing = pair_videos(videos)
    values = np.ones(len(pairing.tiou)) if scorer == "tIoU" else pair_ciders(CaptionPairs(videos, pairing, ""), flavour)
    return 100 * mean_story(pairing, story_scores(pairing, values), flavour)


def soda_tiou(
    truth_spans: Mapping[str, ArrayLike], predicted_spans: Mapping[str, ArrayLike], flavour: SodaFlavour = "strict"
) -> float:
    """SODA tIoU x 100 of spans alone, (N, 2) seconds by video id."""

    def wordless(spans: Mapping[str, ArrayLike]) -> dict[str, Events]:
        return {
            key: Events(array, ("",) * len(array))
            for key, array in ((k, checked_spans(v, "events")) for k, v in spans.items())
        }

    return soda(wordless(truth_spans), wordless(predicted_spans), "tIoU", flavour)
