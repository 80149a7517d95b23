"""All pairs of a true and a predicted event that overlap, of all videos, in flat arrays."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cookscribe.errors import BadValueError
from cookscribe.evaluation.events import Video
from cookscribe.evaluation.grams import Ints

Floats = NDArray[np.float64]

THRESHOLDS = (0.3, 0.5, 0.7, 0.9)
# dvc_eval reads no more predictions of one video than this.
MAX_PROPOSALS = 1000
# Beyond these the scores would take minutes and gigabytes: true times predicted events of one video, and pairs in all.
MOST_CELLS = 4_000_000
MOST_PAIRS = 4_000_000


def published_tiou(predicted: Floats, truth: Floats) -> Floats:
    """(P, 2) and (T, 2) seconds to (P, T) tIoU, operation by operation as dvc_eval computes it.

    The published programs add 1e-8 to the union. Thresholds are compared with these values, so an event that covers
    exactly half of another is just below 0.5 here.
    """
    start_p, end_p = predicted[:, None, 0], predicted[:, None, 1]
    start_t, end_t = truth[None, :, 0], truth[None, :, 1]
    overlap = np.maximum(0.0, np.minimum(end_t, end_p) - np.maximum(start_t, start_p))
    hull = np.maximum(end_t, end_p) - np.minimum(start_t, start_p)
    union = np.minimum(hull, end_t - start_t + end_p - start_p)
    result: Floats = overlap / (union + 1e-8)
    return result


@dataclass(frozen=True, eq=False)
class Pairing:
    """Events of V videos laid end to end, and their overlapping pairs.

    Attributes:
        truth_video, predicted_video: (T,) and (P,) the video of each event; events stand as listed.
        truth_rank, predicted_rank: place of each event among those of its video in order of start.
        predicted_place: place of each predicted event as listed.
        pair_truth, pair_predicted: (K,) the pairs with a tIoU above 0, sorted by truth, then prediction.
        tiou: (K,) their tIoU.
        truth_count, predicted_count: (V,) events per video.
    """

    truth_video: Ints
    predicted_video: Ints
    truth_rank: Ints
    predicted_rank: Ints
    predicted_place: Ints
    pair_truth: Ints
    pair_predicted: Ints
    tiou: Floats
    truth_count: Ints
    predicted_count: Ints

    @property
    def videos(self) -> int:
        """How many videos there are."""
        return len(self.truth_count)


def pair_up(truth: Sequence[Floats], predicted: Sequence[Floats | None]) -> Pairing:
    """Pair the true and predicted spans of each video. None stands for a video without a prediction.

    Raises:
        BadValueError: more events than can be scored.
    """
    spans = [np.zeros((0, 2)) if p is None else p for p in predicted]
    truth_count = np.array([len(t) for t in truth], dtype=np.int64)
    predicted_count = np.array([len(p) for p in spans], dtype=np.int64)
    first_truth = np.cumsum(truth_count) - truth_count
    first_predicted = np.cumsum(predicted_count) - predicted_count
    pair_truth, pair_predicted, values = [], [], []
    pairs = 0
    for true, guessed, offset_t, offset_p in zip(truth, spans, first_truth, first_predicted, strict=True):
        if len(true) * len(guessed) > MOST_CELLS:
            raise BadValueError(
                "events", f"{len(guessed):,} predicted and {len(true):,} true events in one video", "keep the best"
            )
        tiou = published_tiou(guessed, true).T
        row, column = np.nonzero(tiou)
        pairs += len(row)
        if pairs > MOST_PAIRS:
            raise BadValueError(
                "events", f"more than {MOST_PAIRS:,} pairs of overlapping events", "score fewer videos at a time"
            )
        pair_truth.append(row + offset_t)
        pair_predicted.append(column + offset_p)
        values.append(tiou[row, column])
    return Pairing(
        truth_video=np.repeat(np.arange(len(truth)), truth_count),
        predicted_video=np.repeat(np.arange(len(truth)), predicted_count),
        truth_rank=_concatenated([_ranks(t) for t in truth]),
        predicted_rank=_concatenated([_ranks(p) for p in spans]),
        predicted_place=_concatenated([np.arange(len(p)) for p in spans]),
        pair_truth=_concatenated(pair_truth),
        pair_predicted=_concatenated(pair_predicted),
        tiou=np.concatenate([*values, np.zeros(0)]),
        truth_count=truth_count,
        predicted_count=predicted_count,
    )


def pair_videos(videos: Sequence[Video]) -> Pairing:
    """Pair the events of aligned videos."""
    return pair_up(
        [video.truth.spans for video in videos],
        [None if video.predicted is None else video.predicted.spans for video in videos],
    )


def _ranks(spans: Floats) -> Ints:
    rank = np.empty(len(spans), dtype=np.int64)
    rank[np.argsort(spans[:, 0], kind="stable")] = np.arange(len(spans))
    return rank


def _concatenated(pieces: list[Ints]) -> Ints:
    return np.concatenate([*pieces, np.zeros(0, dtype=np.int64)]).astype(np.int64)
