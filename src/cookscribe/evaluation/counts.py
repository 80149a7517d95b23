"""How many events were predicted, compared with how many there are."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from cookscribe.evaluation.events import Video

TOLERANCES = (0, 1, 2, 3)


@dataclass(frozen=True)
class Counts:
    """Event counts p (predicted) and q (true) over all videos of the truth; a video without a prediction has p = 0.

    Attributes:
        within: for each tolerance, the share of videos with |p - q| at most that.
        mean_predicted, mean_truth: mean p and q.
        predicted, truth: how many videos have 0, 1, 2, ... events.
    """

    within: dict[int, float]
    mean_predicted: float
    mean_truth: float
    predicted: dict[int, int]
    truth: dict[int, int]


def event_counts(videos: Sequence[Video]) -> Counts:
    """Compare the event counts of aligned videos."""
    predicted = [video.count for video in videos]
    truth = [len(video.truth) for video in videos]
    differences = [abs(p - q) for p, q in zip(predicted, truth, strict=True)]
    return Counts(
        within={bound: sum(d <= bound for d in differences) / len(videos) for bound in TOLERANCES},
        mean_predicted=sum(predicted) / len(videos),
        mean_truth=sum(truth) / len(videos),
        predicted=dict(sorted(Counter(predicted).items())),
        truth=dict(sorted(Counter(truth).items())),
    )
