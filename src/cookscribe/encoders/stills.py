"""Stills of a film, some a second, for networks that look at one picture at a time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from cookscribe.encoders.base import Progress, silent
from cookscribe.track import FeatureTrack
from cookscribe.video import Frame, Size, VideoFile, ahead

BATCH = 8
THUMBNAIL = 14  # pixels between those that are compared


class StillEncoder(ABC):
    """One row per still; a network makes it of (B, H, W, 3) RGB.

    Attributes:
        name, width: of the encoder and its rows.
        rate: stills a second.
        side: pixels; the stills are square.
        alike: a still whose colours (0 to 255) differ from the one encoded last by less than this, on average, gets
            its row; 0 encodes all but those that are the same picture.
    """

    name: str
    width: int
    rate: float
    side: int = 224
    alike: float = 0.0

    @abstractmethod
    def features(self, images: NDArray[np.uint8]) -> NDArray[np.float32]:
        """(B, side, side, 3) RGB -> (B, width)."""

    def encode(self, video: VideoFile, progress: Progress = silent) -> FeatureTrack:
        """(T, width) float32 at `rate` rows a second. A thread decodes the next batches while this one is encoded."""
        times: list[float] = []
        rows: list[NDArray[np.float32]] = []
        frames = ahead(video.frames(self.rate, Size.square(self.side)), depth=2 * BATCH)
        last: Frame | None = None
        while batch := list(islice(frames, BATCH)):
            times += [frame.time for frame in batch]
            # Row of the last batch first, so that a picture which stays on the screen finds it.
            known = [rows[-1][-1:]] if rows else []
            new: list[NDArray[np.uint8]] = []
            places = []
            for frame in batch:
                if last is None or not self._same(frame, last):
                    new.append(frame.image)
                    last = frame
                places.append(len(known) + len(new) - 1)
            if new:
                known.append(self.features(np.stack(new)))
            rows.append(np.concatenate(known)[places])
            progress(times[-1])
        return FeatureTrack(np.array(times), np.concatenate(rows), self.name, video.duration)

    def _same(self, frame: Frame, last: Frame) -> bool:
        if frame.shown == last.shown:
            return True
        if not self.alike:
            return False
        one, other = (image[::THUMBNAIL, ::THUMBNAIL].astype(np.int16) for image in (frame.image, last.image))
        return float(np.abs(one - other).mean()) < self.alike
