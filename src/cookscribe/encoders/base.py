"""`Encoder`: the one small protocol all encoders follow; and what those share that look at one still at a time."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from cookscribe.config import Config
from cookscribe.track import FeatureTrack
from cookscribe.video import Frame, Size, VideoFile, ahead

BATCH = 8

# Called with the seconds of film encoded so far, at least every few seconds of work.
Progress = Callable[[float], None]


def silent(seconds: float) -> None:
    """A `Progress` that does nothing."""
    del seconds


class Encoder(Protocol):
    """A frozen network, or anything else, that makes a feature track of a whole film."""

    @property
    def name(self) -> str:
        """Name of the encoder; stored with the features."""

    @property
    def width(self) -> int:
        """Size of a feature row."""

    def encode(self, video: VideoFile, progress: Progress = silent) -> FeatureTrack:
        """The features of a film. What was wrong with it is in `video.warnings` afterwards."""


class EncoderOptions(Config):
    """Options of all encoders. Each reads only what concerns it.

    Attributes:
        weights: path of the weights by name, for weights that are not where they are looked for.
        transcripts: a JSON lines file of transcripts by video id; `speech` then reads instead of listening.
        tsn_folder, video_lengths: the published TSN folder, and the file of durations and frame counts.
        language: language spoken, for Whisper models that know several.
        rate: stills a second, for encoders that look at stills; None leaves each its own.
        device: where the networks run, e.g. "cpu" or "cuda".
    """

    weights: dict[str, Path] = Field(default_factory=dict)
    transcripts: Path | None = None
    tsn_folder: Path | None = None
    video_lengths: Path | None = None
    language: str = "en"
    rate: float | None = Field(default=None, gt=0)
    device: str = "cpu"


class StillEncoder(ABC):
    """One row per still; a network makes it of (B, H, W, 3) RGB.

    Attributes:
        name, width: of the encoder and its rows.
        rate: stills a second.
        side: pixels; the stills are square.
        whole: wide stills are squeezed, not cut.
    """

    name: str
    width: int
    rate: float
    side: int = 224
    whole: bool = False

    @property
    def size(self) -> Size:
        """What stills are brought to."""
        return Size.square(self.side, whole=self.whole)

    @abstractmethod
    def features(self, images: NDArray[np.uint8]) -> NDArray[np.float32]:
        """(B, side, side, 3) RGB -> (B, width)."""

    def encode(self, video: VideoFile, progress: Progress = silent) -> FeatureTrack:
        """(T, width) float32 at `rate` rows a second. A thread decodes the next batches while this one is encoded."""
        times: list[float] = []
        rows: list[NDArray[np.float32]] = []
        frames = ahead(video.frames(self.rate, self.size), depth=2 * BATCH)
        last: Frame | None = None
        while batch := list(islice(frames, BATCH)):
            times += [frame.time for frame in batch]
            # Row of the last batch first, so that a picture which stays on the screen finds it.
            known = [rows[-1][-1:]] if rows else []
            new: list[NDArray[np.uint8]] = []
            places = []
            for frame in batch:
                if last is None or not self.same(frame, last):
                    new.append(frame.image)
                    last = frame
                places.append(len(known) + len(new) - 1)
            if new:
                known.append(self.features(np.stack(new)))
            rows.append(np.concatenate(known)[places])
            progress(times[-1])
        return FeatureTrack(np.array(times), np.concatenate(rows), self.name, video.duration)

    def same(self, frame: Frame, last: Frame) -> bool:
        """Whether a still gets the row of the one that was encoded last: it is the same picture."""
        return frame.shown == last.shown
