"""`a+b`: several encoders on one time line."""

from collections.abc import Sequence

import numpy as np

from cookscribe.encoders.base import Encoder, Progress, silent
from cookscribe.errors import BadValueError
from cookscribe.track import FeatureTrack
from cookscribe.video import VideoFile


class JoinedEncoder:
    """Runs encoders one after the other and lays their rows side by side."""

    def __init__(self, encoders: Sequence[Encoder]) -> None:
        self.encoders = tuple(encoders)

    @property
    def name(self) -> str:
        return "+".join(encoder.name for encoder in self.encoders)

    @property
    def width(self) -> int:
        return sum(encoder.width for encoder in self.encoders)

    def encode(self, video: VideoFile, progress: Progress = silent) -> FeatureTrack:
        """(T, sum of widths) on the time line of the encoder with the most rows."""

        def part(number: int) -> Progress:
            return lambda seconds: progress((number * video.duration + seconds) / len(self.encoders))

        return join([encoder.encode(video, part(number)) for number, encoder in enumerate(self.encoders)])


def join(tracks: Sequence[FeatureTrack]) -> FeatureTrack:
    """Rows side by side: the finest time line stays, and every other track gives its row nearest in time."""
    if not tracks:
        raise BadValueError("join", "there is no track to join")
    times = max(tracks, key=lambda track: len(track.times)).times
    parts = [track.values[track.nearest(times)] for track in tracks]
    return FeatureTrack(
        times,
        np.concatenate(parts, axis=1, dtype=np.float32),
        "+".join(track.encoder for track in tracks),
        min(track.duration for track in tracks),
        simulated=any(track.simulated for track in tracks),
    )
