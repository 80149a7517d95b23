"""Windows of frames over a film, for networks that look at short clips."""

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterator

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from cookscribe.encoders.base import Progress, silent
from cookscribe.track import FeatureTrack
from cookscribe.video import Frame, Size, VideoFile, ahead


def windows(frames: Iterator[Frame], window: int, stride: int) -> Iterator[list[Frame]]:
    """Overlapping windows in order. The last one, or a film shorter than one, is filled up with its last frame."""
    held: deque[Frame] = deque()
    new = 0
    for frame in frames:
        held.append(frame)
        new += 1
        if len(held) == window:
            yield list(held)
            new = 0
            for _ in range(stride):
                held.popleft()
    if new:
        yield list(held) + [held[-1]] * (window - len(held))


class WindowEncoder(ABC):
    """One row per window of frames, at its centre; a network makes it of (B, T, H, W, 3) RGB.

    Attributes:
        name, width: of the encoder and its rows.
        rate: frames a second that go into windows.
        window, stride: frames per window, and from one window to the next.
        side: pixels; the frames are square.
        device: where the network runs.
    """

    name: str
    width: int
    rate: float
    window: int
    stride: int
    side: int
    device: str

    @abstractmethod
    def network_rows(self, pixels: Tensor) -> Tensor:
        """(B, 3, T, H, W) colours from 0 to 255 -> (B, width)."""

    def features(self, clips: NDArray[np.uint8]) -> NDArray[np.float32]:
        """(B, T, H, W, 3) RGB -> (B, width)."""
        with torch.inference_mode():
            pixels = torch.from_numpy(clips).to(self.device).permute(0, 4, 1, 2, 3).to(torch.float32)
            return self.network_rows(pixels).cpu().numpy()

    def encode(self, video: VideoFile, progress: Progress = silent) -> FeatureTrack:
        """(T, width) float32. A thread decodes the next frames while a window is encoded."""
        times: list[float] = []
        rows: list[NDArray[np.float32]] = []
        frames = ahead(video.frames(self.rate, Size.square(self.side)), depth=2 * self.stride)
        still: float | None = None
        for clip in windows(frames, self.window, self.stride):
            shown = {frame.shown for frame in clip}
            # A picture that stays for many windows is encoded once.
            if shown != {still}:
                rows.append(self.features(np.stack([frame.image for frame in clip])[None])[0])
            else:
                rows.append(rows[-1])
            still = clip[0].shown if len(shown) == 1 else None
            # A window that ran out of film repeats its last frame, so its centre does not lie behind the end.
            times.append((clip[0].time + clip[-1].time) / 2)
            progress(times[-1])
        return FeatureTrack(np.array(times), np.stack(rows), self.name, video.duration)
