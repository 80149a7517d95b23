"""`FeatureTrack`: what a frozen encoder makes of a whole video, once."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cookscribe.errors import BadValueError

FloatArray = NDArray[np.floating]


@dataclass(frozen=True, eq=False)
class FeatureTrack:
    """Feature rows on a time line.

    Attributes:
        times: (T,) seconds, increasing: the centre of what each row describes.
        values: (T, D) the rows, float16 or float32.
        encoder: the name of the encoder, e.g. "effnet" or "milnce-like".
        duration: length of the video in seconds.
        simulated: True when the rows come from the simulated kitchen; tables and reports repeat it.
    """

    times: FloatArray
    values: FloatArray
    encoder: str
    duration: float
    simulated: bool = False

    def __post_init__(self) -> None:
        times, values = np.asarray(self.times, dtype=np.float64), np.asarray(self.values)
        object.__setattr__(self, "times", times)
        object.__setattr__(self, "values", values)
        if times.ndim != 1 or values.ndim != 2 or len(times) != len(values) or not values.size:
            raise BadValueError(self.encoder, f"times {times.shape} and values {values.shape} do not make a track")
        if not np.isfinite(times).all() or (np.diff(times) < 0).any():
            raise BadValueError(self.encoder, "the times of a track must be finite and increasing")
        if not np.isfinite(self.duration) or self.duration <= 0:
            raise BadValueError(self.encoder, f"a track needs a positive duration, got {self.duration}")

    def check(self, video: str, width: int, encoder: str) -> None:
        """Refuse, for the video of this name, features that a model of so many columns was not made for."""
        if self.width != width:
            cause = f"its {self.encoder} features have {self.width} columns, the model reads {width}"
            raise BadValueError(video, cause, "use the features the model was trained on")
        if encoder and self.encoder != encoder:
            cause = f"its features come from {self.encoder!r}, the model was trained on {encoder!r}"
            raise BadValueError(video, cause, "encode the video with that encoder")

    @property
    def width(self) -> int:
        """D, the size of a row."""
        return int(self.values.shape[1])

    def over(self, spans: FloatArray) -> NDArray[np.float32]:
        """Mean row inside each span.

        Args:
            spans: (N, 2) start and end in seconds.

        Returns:
            (N, D) float32. A span without a row gets the row nearest to its centre: an event is never a zero vector.
        """
        spans = np.asarray(spans, dtype=np.float64).reshape(-1, 2)
        first = np.searchsorted(self.times, spans[:, 0], side="left")
        last = np.searchsorted(self.times, spans[:, 1], side="right")
        pooled = np.empty((len(spans), self.width), dtype=np.float32)
        for n, (start, stop) in enumerate(zip(first, last, strict=True)):
            if stop <= start:
                start = int(np.abs(self.times - spans[n].mean()).argmin())
                stop = start + 1
            pooled[n] = self.values[start:stop].mean(axis=0, dtype=np.float32)
        return pooled

    def resampled(self, length: int) -> NDArray[np.float32]:
        """(length, D) rows nearest to the centres of `length` equal slices of the video: PDVC's fixed-size input."""
        centres = (np.arange(length) + 0.5) * (self.duration / length)
        return np.asarray(self.values[self.nearest(centres)], dtype=np.float32)

    def nearest(self, times: FloatArray) -> NDArray[np.int64]:
        """For each of `times` the row nearest to it; the earlier one when two are as near."""
        right = np.clip(np.searchsorted(self.times, times), 0, len(self.times) - 1)
        left = np.maximum(right - 1, 0)
        return np.where(np.abs(self.times[left] - times) <= np.abs(self.times[right] - times), left, right)
