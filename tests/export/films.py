"""Tiny films for the tests."""

from __future__ import annotations

from pathlib import Path

import av
import numpy as np


def make_video(path: Path, seconds: int, rate: int = 2) -> None:
    """A film that gets brighter frame by frame."""
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264" if "libx264" in av.codecs_available else "mpeg4", rate=rate)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        for number in range(rate * seconds):
            level = 255 * number // (rate * seconds)
            frame = av.VideoFrame.from_ndarray(np.full((48, 64, 3), level, np.uint8), format="rgb24")
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
