"""Chosen events against the truth: the figures of a row, and their interval against a baseline."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from cookscribe.evaluation.counts import event_counts
from cookscribe.evaluation.events import Events, align
from cookscribe.evaluation.localisation import localisation
from cookscribe.evaluation.pairing import pair_videos
from cookscribe.evaluation.soda import story_scores
from cookscribe_lab.studies.core.report import bootstrap_interval

Floats = NDArray[np.float64]
Spans = Mapping[str, Floats]


@dataclass(frozen=True, eq=False)
class Scored:
    """Figures of one choice of events, in percent.

    Attributes:
        stories: (V,) SODA tIoU of each video; its mean is `soda_tiou` (strict: a video without events counts 0).
        within: share of the videos whose number of events is off by at most 0, 1, 2, 3.
        precision, recall, f1: localisation, means over the thresholds of dvc_eval.
        counts: (V,) number of events.
    """

    stories: Floats
    within: dict[int, float]
    precision: float
    recall: float
    f1: float
    mean_count: float
    counts: NDArray[np.int64]

    @property
    def soda_tiou(self) -> float:
        """Mean over videos."""
        return float(self.stories.mean())

    def figures(self, baseline: Self) -> dict[str, float | list[float]]:
        """The figures of a row, with the 95 % interval of the difference to a baseline over the same videos."""
        low, high = bootstrap_interval(self.stories - baseline.stories)
        return {
            "soda_tiou": self.soda_tiou,
            "against_nms": [low, high],
            **{f"within_{bound}": self.within[bound] for bound in range(4)},
            "mean_count": self.mean_count,
            "precision": self.precision,
            "recall": self.recall,
            "f1": self.f1,
        }


def score_choice(truth: Spans, chosen: Spans) -> Scored:
    """Score the chosen spans (seconds by video) against the true ones."""
    videos = align(_wordless(truth), _wordless(chosen))
    pairing = pair_videos(videos)
    places = localisation(pairing)
    counts = event_counts(videos)
    return Scored(
        stories=100 * story_scores(pairing, np.ones(len(pairing.tiou))),
        within={bound: 100 * share for bound, share in counts.within.items()},
        precision=100 * places.precision,
        recall=100 * places.recall,
        f1=100 * places.f1,
        mean_count=counts.mean_predicted,
        counts=np.array([video.count for video in videos]),
    )


def _wordless(spans: Spans) -> dict[str, Events]:
    return {key: Events(value, ("",) * len(value)) for key, value in spans.items()}
