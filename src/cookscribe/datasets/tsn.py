"""TSN feature folders of YouCook2: `<id>_resnet.npy` (T, 2048) and `<id>_bn.npy` (T, 1024), one row per half second."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cookscribe.datasets.youcook2 import SPLITS, VideoLength
from cookscribe.errors import BadFileError, BadValueError, MissingFileError
from cookscribe.track import FeatureTrack

PARTS = ("resnet", "bn")
SECONDS_PER_ROW = 0.5


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
        return [self.folder, *(self.folder / split for split in SPLITS)]

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
