"""`tsn`: the published TSN features of YouCook2, found by the film's file name without its ending."""

from __future__ import annotations

from cookscribe.datasets.tsn import TsnFolder
from cookscribe.encoders.base import Progress, silent
from cookscribe.track import FeatureTrack
from cookscribe.video import VideoFile


class TsnEncoder:
    """Reads instead of computing: 2,048 appearance and 1,024 motion numbers, a row about every half second."""

    name = "tsn"
    width = 3072

    def __init__(self, folder: TsnFolder) -> None:
        self.folder = folder

    def encode(self, video: VideoFile, progress: Progress = silent) -> FeatureTrack:
        """(T, 3072) float32."""
        track = self.folder.read(video.path.stem)
        progress(track.duration)
        return track
