"""What every score reads: the events of a video with their sentences, and predictions laid beside the truth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cookscribe.candidates import checked_spans
from cookscribe.errors import BadValueError


@dataclass(frozen=True, eq=False)
class Events:
    """Events of one video, in the order they were listed.

    Attributes:
        spans: (N, 2) start and end in seconds: finite, not negative, not reversed.
        sentences: N sentences.
    """

    spans: NDArray[np.float64]
    sentences: tuple[str, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "spans", checked_spans(self.spans, "events"))
        object.__setattr__(self, "sentences", tuple(self.sentences))
        if len(self.spans) != len(self.sentences):
            raise BadValueError("events", f"{len(self.spans)} spans but {len(self.sentences)} sentences")
        if not all(isinstance(sentence, str) for sentence in self.sentences):
            raise BadValueError("events", "a sentence is not text")

    def __len__(self) -> int:
        return len(self.sentences)

    def by_start(self) -> Events:
        """The same events in order of start; those that start together keep their order."""
        order = np.argsort(self.spans[:, 0], kind="stable")
        return Events(self.spans[order], tuple(self.sentences[i] for i in order))


@dataclass(frozen=True, eq=False)
class Video:
    """One video of the truth with what was predicted for it.

    `predicted` is None when the prediction has no entry for the video, and empty when its entry is an empty list.
    """

    id: str
    truth: Events
    predicted: Events | None

    @property
    def count(self) -> int:
        """How many events were predicted."""
        return 0 if self.predicted is None else len(self.predicted)


def _matches(truth: Mapping[str, Events], predictions: Mapping[str, Events]) -> dict[str, str]:
    """Key of the truth -> key of the prediction, for videos that have one: the same key, or it with or without `v_`."""
    prefixed = all(key.startswith("v_") for key in truth)
    found: dict[str, str] = {}
    for key in truth:
        for other in (key, key[2:] if prefixed else key, f"v_{key}"):
            if other in predictions and (other == key or other not in truth):
                found[key] = other
                break
    return found


def align(truth: Mapping[str, Events], predictions: Mapping[str, Events]) -> list[Video]:
    """The videos of the truth, sorted by id, each with its prediction. Predictions for other videos are left out.

    Raises:
        BadValueError: the truth is empty, one of its videos has no event, or not one predicted video is in it.
    """
    if not truth:
        raise BadValueError("truth", "holds no video")
    empty = sorted(key for key, events in truth.items() if not len(events))
    if empty:
        raise BadValueError("truth", f"{empty[0]} has no event", "leave out videos that were not annotated")
    matches = _matches(truth, predictions)
    if predictions and not matches:
        raise BadValueError(
            "predictions", "not one predicted video is in the truth", "check that both files are of the same split"
        )
    return [Video(key, truth[key], predictions[matches[key]] if key in matches else None) for key in sorted(truth)]


def unknown_videos(truth: Mapping[str, Events], predictions: Mapping[str, Events]) -> list[str]:
    """Predicted videos that are not in the truth, as they are written there: nobody scores them."""
    return sorted(predictions.keys() - set(_matches(truth, predictions).values()))
