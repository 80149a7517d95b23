"""`Encoder`: the one small protocol all encoders follow."""

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from pydantic import Field

from cookscribe.config import Config
from cookscribe.track import FeatureTrack
from cookscribe.video import VideoFile

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
