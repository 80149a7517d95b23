"""Tiny films, and films with parts missing, made of whole ones."""

from pathlib import Path
from typing import Any

import av
import numpy as np

from cookscribe.seeds import generator
from cookscribe.video.writing import write_video


def brightening(path: Path, seconds: float, rate: float = 2.0, sound: np.ndarray | None = None, **more: Any) -> Path:
    """A film that gets brighter frame by frame; `more` is for `write_video`."""
    count = round(seconds * rate)
    frames = ((n / rate, np.full((48, 64, 3), 255 * n // count, dtype=np.uint8)) for n in range(count))
    return write_video(path, frames, sound, rate=rate, **more)


def noise(seconds: float) -> np.ndarray:
    """Sound that takes more bytes than the picture of a tiny film."""
    return np.random.default_rng(0).normal(0, 0.1, round(seconds * 16_000)).astype(np.float32)


def remuxed(source: Path, target: Path, **options: str) -> Path:
    """The same streams in the container that the name of `target` asks for."""
    with av.open(str(source)) as film, av.open(str(target), "w", options=options) as copy:
        streams = {stream.index: copy.add_stream_from_template(stream) for stream in film.streams}
        for packet in film.demux():
            if packet.dts is not None:
                packet.stream = streams[packet.stream.index]
                copy.mux(packet)
    return target


def streamable(source: Path, target: Path) -> Path:
    """An mp4 with its headers in front, as it is downloaded: cut short, it can still be opened."""
    return remuxed(source, target, movflags="faststart")


def cut(source: Path, target: Path, share: float) -> Path:
    """The first `share` of the bytes of a film."""
    whole = source.read_bytes()
    target.write_bytes(whole[: round(len(whole) * share)])
    return target


def spoiled(source: Path, target: Path, kinds: tuple[str, ...], after: float, fill: str) -> Path:
    """A film whose packets of these kinds ("video", "audio") after so many seconds are "zeros" or "noise"."""
    data = bytearray(source.read_bytes())
    random = generator("spoiled film")
    with av.open(str(source)) as film:
        for packet in film.demux():
            if packet.pts is None or packet.stream.type not in kinds or packet.pts * packet.time_base < after:
                continue
            assert packet.pos is not None
            noise = random.integers(0, 256, packet.size, dtype=np.uint8).tobytes()
            data[packet.pos : packet.pos + packet.size] = bytes(packet.size) if fill == "zeros" else noise
    target.write_bytes(data)
    return target
