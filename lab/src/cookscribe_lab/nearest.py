"""The nearest-neighbour captioner: each event gets the sentence of the training event whose feature is most like it.

It learns nothing, so it is the floor under every captioner: a model that does not beat it has only remembered.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

from cookscribe.errors import BadValueError
from cookscribe.learning.datasets.records import AnnotatedVideo
from cookscribe.track import FeatureTrack

FloatArray = NDArray[np.floating]

CHUNK = 1024  # events compared at once, to bound memory


class Tracks(Protocol):
    """Anything that reads tracks by video id, such as a `FeatureStore`."""

    def read(self, video_id: str) -> FeatureTrack:
        """The track of a video."""


@dataclass(frozen=True, eq=False)
class NearestNeighbourCaptioner:
    """Remembers events and their sentences.

    Likeness is the cosine after the mean training feature is taken off; without that, what all features share would
    drown what sets events apart.

    Attributes:
        mean: (D,) the mean training feature.
        memory: (E, D) training features without their mean, each of length 1.
        sentences: E sentences.
    """

    mean: NDArray[np.float32]
    memory: NDArray[np.float32]
    sentences: tuple[str, ...]

    @classmethod
    def fit(cls, features: FloatArray, sentences: Sequence[str]) -> Self:
        """Remember E events: (E, D) features and E sentences."""
        values = np.asarray(features, dtype=np.float32)
        if values.ndim != 2 or len(values) != len(sentences) or not len(values):
            raise BadValueError(
                "nearest neighbour", f"features {values.shape} and {len(sentences)} sentences do not make events"
            )
        mean = values.mean(axis=0)
        return cls(mean, _directions(values - mean), tuple(sentences))

    @classmethod
    def fit_videos(cls, videos: Iterable[AnnotatedVideo], tracks: Tracks) -> Self:
        """Remember the true steps of annotated videos, pooled over their spans."""
        pooled: list[NDArray[np.float32]] = []
        sentences: list[str] = []
        for video in videos:
            pooled.append(tracks.read(video.id).over(video.spans))
            sentences += video.sentences
        if not pooled:
            raise BadValueError("nearest neighbour", "there are no videos to remember", "check the split")
        return cls.fit(np.concatenate(pooled), sentences)

    def caption(self, features: FloatArray) -> list[str]:
        """For each of (N, D) features the sentence of the most alike training event, the earliest of equals."""
        values = np.asarray(features, dtype=np.float32)
        if values.ndim != 2 or values.shape[1] != len(self.mean):
            raise BadValueError("nearest neighbour", f"features {values.shape} are not (N, {len(self.mean)})")
        queries = _directions(values - self.mean)
        chunks = [queries[start : start + CHUNK] for start in range(0, len(queries), CHUNK)]
        return [self.sentences[index] for chunk in chunks for index in (chunk @ self.memory.T).argmax(axis=1)]


def _directions(values: NDArray[np.float32]) -> NDArray[np.float32]:
    lengths = np.linalg.norm(values, axis=1, keepdims=True)
    return np.asarray(values / np.maximum(lengths, 1e-12), dtype=np.float32)
