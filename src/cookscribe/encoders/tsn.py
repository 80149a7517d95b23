"""`tsn`: the published TSN features of YouCook2, found by the film's file name without its ending."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cookscribe.encoders.base import Progress, silent
from cookscribe.errors import BadFileError, BadValueError, MissingFileError
from cookscribe.track import FeatureTrack
from cookscribe.validation import csv_rows
from cookscribe.video import VideoFile

PARTS = ("resnet", "bn")
SECONDS_PER_ROW = 0.5
FOLDERS = ("training", "validation", "testing")


@dataclass(frozen=True)
class VideoLength:
    """Length of a video: `duration` in seconds and its number of frames."""

    duration: float
    frames: int


def read_lengths(path: Path) -> dict[str, VideoLength]:
    """Read `id,duration,frames` lines without a header (`yc2_duration_frame.csv`)."""
    lengths: dict[str, VideoLength] = {}
    for number, row in csv_rows(path, 3):
        try:
            length = VideoLength(float(row[1]), int(row[2]))
        except ValueError:
            raise BadFileError(path, f"line {number} is not `id,duration,frames`: {','.join(row)!r:.80}") from None
        if not 0 < length.duration < float("inf") or length.frames <= 0 or row[0] in lengths:
            raise BadFileError(path, f"line {number} is not positive and finite, or {row[0]} stands twice")
        lengths[row[0]] = length
    return lengths


def row_times(rows: int, length: VideoLength) -> NDArray[np.float64]:
    """(rows,) seconds. A row was taken every ceil(fps / 2) whole frames, so a step is not exactly half a second."""
    frames_per_row = math.ceil(length.frames / length.duration * SECONDS_PER_ROW)
    return np.arange(rows, dtype=np.float64) * (length.duration * frames_per_row / length.frames)


class TsnFolder:
    """Published TSN features. The files lie in `folder` itself or in its `training`, `validation`, `testing` folders.

    Args:
        folder: the feature folder.
        lengths: duration and frame count by video id (`read_lengths`); the times of the rows follow from them.
    """

    def __init__(self, folder: Path, lengths: Mapping[str, VideoLength]) -> None:
        self.folder = Path(folder)
        self.lengths = lengths
        if not self.folder.is_dir():
            raise MissingFileError(self.folder, "no such feature folder", "check the path")

    def _places(self) -> list[Path]:
        return [self.folder, *(self.folder / split for split in FOLDERS)]

    def ids(self) -> list[str]:
        """Ids of the videos that have a `resnet` file, sorted."""
        suffix = f"_{PARTS[0]}.npy"
        return sorted({path.name.removesuffix(suffix) for place in self._places() for path in place.glob(f"*{suffix}")})

    def read(self, video_id: str) -> FeatureTrack:
        """Both parts side by side: (T, 3072) float32. A missing or broken part is an error, never zeros."""
        if video_id not in self.lengths:
            raise BadValueError(video_id, "has no known duration and frame count", "give the file of video lengths")
        parts = [self._read_part(video_id, part) for part in PARTS]
        if len(parts[0]) != len(parts[1]):
            raise BadFileError(
                self._find(video_id, PARTS[1]), f"has {len(parts[1])} rows but the resnet part {len(parts[0])}"
            )
        length = self.lengths[video_id]
        values = np.concatenate(parts, axis=1, dtype=np.float32)
        return FeatureTrack(row_times(len(values), length), values, "tsn", length.duration)

    def _find(self, video_id: str, part: str) -> Path:
        name = f"{video_id}_{part}.npy"
        if Path(name).name != name:
            raise BadValueError(f"video id {video_id!r:.60}", "cannot be the name of a feature file")
        for place in self._places():
            if (place / name).is_file():
                return place / name
        raise MissingFileError(self.folder / name, "no such feature file", "download the features of this video")

    def _read_part(self, video_id: str, part: str) -> NDArray[np.floating]:
        path = self._find(video_id, part)
        try:
            # No pickle: an object array in a downloaded file could run any code.
            rows = np.load(path, mmap_mode="r", allow_pickle=False)
        except (ValueError, EOFError, OSError) as error:
            raise BadFileError(path, f"is not a numpy array file: {error}", "download it again") from None
        if not isinstance(rows, np.ndarray) or rows.dtype.kind != "f" or rows.ndim != 2 or 0 in rows.shape:
            raise BadFileError(path, "does not hold rows of floating-point numbers", "download it again")
        if not np.isfinite(rows).all():
            raise BadFileError(path, "holds values that are not finite", "download it again")
        return rows


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
