"""`effnet`: two frames a second through EfficientNet-Lite0. The visual encoder that works on a fresh machine."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from cookscribe.encoders.base import Progress, silent
from cookscribe.encoders.effnet_network import WIDTH, EfficientNetLite0
from cookscribe.encoders.parameters import read_parameters
from cookscribe.encoders.weights import locate
from cookscribe.errors import BadFileError
from cookscribe.track import FeatureTrack
from cookscribe.video import Frame, Size, VideoFile, ahead

RATE = 2.0
SIDE = 224
BATCH = 8


class EffNetEncoder:
    """One row of 1,280 numbers per half second: what is to be seen, not what moves.

    Args:
        weights: path of the weights; None searches for them.
        rate: frames per second.
        device: where the network runs.
    """

    name = "effnet"
    width = WIDTH

    def __init__(self, weights: Path | None = None, rate: float = RATE, device: str = "cpu") -> None:
        found = locate("effnet", weights)
        path = found.file(next(iter(found.weights.files)))
        try:
            self.network = EfficientNetLite0.from_published(read_parameters(path)).to(device)
        except (KeyError, RuntimeError) as error:
            raise BadFileError(path, f"does not hold EfficientNet-Lite0: {error}") from None
        self.rate, self.device = rate, device

    def encode(self, video: VideoFile, progress: Progress = silent) -> FeatureTrack:
        """(T, 1280) float32 at `rate` rows a second. A thread decodes the next batches while this one is encoded."""
        times: list[float] = []
        rows: list[NDArray[np.float32]] = []
        frames = ahead(video.frames(self.rate, Size.square(SIDE)), depth=2 * BATCH)
        last = _Seen()
        while batch := list(islice(frames, BATCH)):
            times += [frame.time for frame in batch]
            rows.append(self._rows(batch, last))
            progress(times[-1])
        return FeatureTrack(np.array(times), np.concatenate(rows), self.name, video.duration)

    def _rows(self, batch: list[Frame], last: _Seen) -> NDArray[np.float32]:
        """(B, 1280). A still that stays on the screen is encoded once."""
        new = [frame for i, frame in enumerate(batch) if frame.shown != (batch[i - 1].shown if i else last.shown)]
        encoded = self.features(np.stack([frame.image for frame in new])) if new else np.empty((0, WIDTH), np.float32)
        rows = np.empty((len(batch), WIDTH), np.float32)
        position = 0
        for i, frame in enumerate(batch):
            if frame.shown != last.shown:
                last.shown, last.row = frame.shown, encoded[position]
                position += 1
            assert last.row is not None
            rows[i] = last.row
        return rows

    def features(self, images: NDArray[np.uint8]) -> NDArray[np.float32]:
        """(B, 224, 224, 3) RGB -> (B, 1280)."""
        with torch.inference_mode():
            pixels = self.network.scaled(torch.from_numpy(images).to(self.device))
            return self.network(pixels).cpu().numpy()  # type: ignore[no-any-return]


class _Seen:
    """The picture encoded last, and its row."""

    shown: float | None = None
    row: NDArray[np.float32] | None = None
