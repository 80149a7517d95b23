"""Windows of frames over a film, for networks that look at short clips."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from cookscribe.encoders.base import Progress
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


def encode_windows(
    video: VideoFile,
    features: Callable[[NDArray[np.uint8]], NDArray[np.float32]],
    name: str,
    *,
    rate: float,
    window: int,
    stride: int,
    side: int,
    progress: Progress,
) -> FeatureTrack:
    """One row per window, at its centre. A thread decodes the next frames while a window is encoded.

    Args:
        features: (1, T, H, W, 3) RGB -> (1, D).
        rate: frames per second that go into windows.
        window, stride: frames per window, and from one window to the next.
        side: pixels; the frames are square.
    """
    times: list[float] = []
    rows: list[NDArray[np.float32]] = []
    frames = ahead(video.frames(rate, Size.square(side)), depth=2 * stride)
    still: float | None = None
    for clip in windows(frames, window, stride):
        shown = {frame.shown for frame in clip}
        # A picture that stays for many windows is encoded once.
        if shown != {still}:
            rows.append(features(np.stack([frame.image for frame in clip])[None])[0])
        else:
            rows.append(rows[-1])
        still = clip[0].shown if len(shown) == 1 else None
        # A window that ran out of film repeats its last frame, so its centre does not lie behind the end.
        times.append((clip[0].time + clip[-1].time) / 2)
        progress(times[-1])
    return FeatureTrack(np.array(times), np.stack(rows), name, video.duration)
