"""Films with parts missing, made of whole ones."""

from __future__ import annotations

from pathlib import Path

import av
import numpy as np

from cookscribe.seeds import generator


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
