"""What can be read of a damaged film, found out without the program: by the library alone, in a child of its own."""

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import av

from faults.running import aside

DEMUXERS = {".mp4": "mov", ".mkv": "matroska", ".webm": "matroska", ".ts": "mpegts", ".avi": "avi"}
SECONDS = 20.0


@dataclass(frozen=True)
class Track:
    """A stream as it can be read.

    Attributes:
        read: seconds at which its last packet ends.
        decoded: seconds at which its last decoded frame ends.
        packets, bad: how many there are, and how many of them the decoder refuses.
    """

    read: float = 0.0
    decoded: float = 0.0
    packets: int = 0
    bad: int = 0


@dataclass(frozen=True)
class Measured:
    """A film as it can be read: the length its header declares, its picture and its sound.

    The tracks are what reading straight on gives, which ends where the library finds no next packet. The film may go on
    behind such a stretch: `reached` is the end of the last packet that searching finds, and no less than the tracks'.
    """

    declared: float
    picture: Track
    sound: Track
    reached: float

    @property
    def readable(self) -> float:
        """The last moment to which reading straight on gets."""
        return max(self.picture.read, self.sound.read)


def measure(path: Path) -> Measured | None:
    """None when the library alone makes nothing of the file either."""
    found = aside(lambda: _look(path), SECONDS)
    if found is None:
        return None
    declared, picture, sound, reached = found
    return Measured(declared, Track(*picture), Track(*sound), reached)


def _look(path: Path) -> tuple[float, list[float], list[float], float]:
    found = {"video": [0.0, 0.0, 0, 0], "audio": [0.0, 0.0, 0, 0]}
    with av.open(str(path), format=DEMUXERS[path.suffix], metadata_errors="replace") as container:
        declared = (container.duration or 0) / av.time_base
        start = Fraction(container.start_time or 0, av.time_base)
        streams = [chosen[0] for chosen in (container.streams.video, container.streams.audio) if chosen]
        packets = container.demux(streams)
        while True:
            try:
                packet = next(packets)
            except (StopIteration, av.FFmpegError, ValueError):
                break
            track = found[packet.stream.type]
            if packet.pts is not None and packet.time_base:
                track[0] = max(track[0], float((packet.pts + (packet.duration or 0)) * packet.time_base - start))
                track[2] += 1
            try:
                for frame in packet.decode():
                    if frame.pts is not None and frame.time_base:
                        length = Fraction(frame.duration or 0) * frame.time_base
                        track[1] = max(track[1], float(frame.pts * frame.time_base + length - start))
            except (av.FFmpegError, ValueError):
                track[3] += 1
    straight = max(found["video"][0], found["audio"][0])
    reached = straight if straight > declared - 0.5 else max(straight, _searched(path, declared))
    return declared, found["video"], found["audio"], reached


def _searched(path: Path, declared: float) -> float:
    """The end of the last whole packet that is found from any second of the film."""
    last = 0.0
    for second in range(int(declared) + 1):
        with av.open(str(path), format=DEMUXERS[path.suffix], metadata_errors="replace") as container:
            start = Fraction(container.start_time or 0, av.time_base)
            try:
                container.seek(int((start + second) * av.time_base))
                for packet in container.demux():
                    if packet.pts is None or not packet.time_base or packet.is_corrupt:
                        continue
                    end = float((packet.pts + (packet.duration or 0)) * packet.time_base - start)
                    # A stamp beyond the end is a broken one.
                    last = max(last, end if end <= declared + 1 else 0.0)
            except (av.FFmpegError, ValueError):
                continue
    return last
