"""Where a film really ends: its last packets and its own structure, beside the length that its headers promise.

Nothing is decoded here. A film cut short keeps the headers of the whole one, so only what is there can tell.
"""

from __future__ import annotations

import time as clock
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import av
from av.container import InputContainer
from av.packet import Packet
from av.stream import Stream

from cookscribe.video.container import DAMAGE

# Containers round lengths and leave out that of the last frame; more than this many seconds are missing, not rounded.
SLACK = 1.0
# Sound that ends this long before the film, and this share of it, ends early even if the file never promised more.
EARLY_SECONDS, EARLY_SHARE = 5.0, 0.1
# A time stamp that leaps further than this, past the end the header gives, is a broken stamp and not a long still.
LEAP = 10.0

_TAIL = 10.0  # seconds before the promised end from which the last packets are looked for
_BOXES = {b"ftyp", b"moov", b"mdat", b"moof", b"free", b"skip", b"wide", b"uuid", b"styp", b"sidx", b"mfra", b"meta"}
_MOST_BOXES = 200_000  # of a film in fragments, which has a few a second
_SEGMENT = bytes.fromhex("18538067")
_ASF_PROPERTIES = bytes.fromhex("a1dcab8c47a9cf118ee400c00c205365")


@dataclass(frozen=True)
class Ends:
    """Seconds from the start of the film at which the last packet of each kind is over; None without one.

    Attributes:
        picture, sound: of the streams that are read; other: of all other streams.
        broken: the last packet of the file is only a part of one.
        given_up: reading took too long to get to the end.
    """

    picture: float | None = None
    sound: float | None = None
    other: float | None = None
    broken: bool = False
    given_up: bool = False

    @property
    def readable(self) -> float | None:
        """The last moment of picture or sound."""
        return max((end for end in (self.picture, self.sound) if end is not None), default=None)

    def reach(self, seconds: float) -> bool:
        """Whether anything in the file is there until `seconds`."""
        return max(self.readable or 0.0, self.other or 0.0) >= seconds - SLACK


def find_ends(
    container: InputContainer,
    picture: Stream | None,
    sound: Stream | None,
    *,
    start: float,
    duration: float,
    patience: float,
) -> Ends:
    """The last packets of an open film: those near its promised end, or where there are none, those of the whole file.

    Args:
        start: presentation time of the first instant; duration: the promised length.
        patience: seconds after which the search is given up; what is unknown then counts as there.
    """
    known = {"start": start, "duration": duration, "patience": patience}
    late = scan_ends(container, picture, sound, **known, begin=max(0.0, duration - _TAIL))
    if late.given_up or (late.reach(duration) and (sound is None or late.sound is not None) and not late.broken):
        return late
    return scan_ends(container, picture, sound, **known)


def scan_ends(
    container: InputContainer,
    picture: Stream | None,
    sound: Stream | None,
    *,
    start: float,
    duration: float,
    patience: float,
    begin: float = 0.0,
) -> Ends:
    """The last packets of an open film that is read from second `begin` on, without decoding; see `find_ends`."""
    kinds = {stream.index: kind for kind, stream in (("picture", picture), ("sound", sound)) if stream is not None}
    found: dict[str, float] = {}
    broken = given_up = False
    until = clock.monotonic() + patience
    try:
        container.seek(int((start + begin) * av.time_base))
        for packet in container.demux():
            if clock.monotonic() > until:
                given_up = True
                break
            if packet.pts is None or not packet.time_base:
                continue
            end = float((packet.pts + (packet.duration or 0)) * packet.time_base) - start
            broken = packet.is_corrupt
            if broken or end > duration + LEAP or _blank(packet):
                continue
            kind = kinds.get(packet.stream.index, "other")
            found[kind] = max(end, found.get(kind, 0.0))
    except DAMAGE:
        pass  # the packets before the damage count
    return Ends(found.get("picture"), found.get("sound"), found.get("other"), broken, given_up)


def _blank(packet: Packet[Stream]) -> bool:
    """True for a packet of zeros: room that was set aside for the film, but never filled (an unfinished download)."""
    raw = packet.stream.codec_context is None or packet.stream.codec_context.name.startswith(("pcm", "adpcm"))
    return packet.size > 0 and not raw and not bytes(packet).strip(b"\0")


def cut_off(path: Path, demuxer: str) -> bool:
    """Whether the file ends inside one of its own parts, which holds even where its length in seconds is a guess."""
    size = path.stat().st_size
    with path.open("rb") as file:
        head = file.read(4096)
        if demuxer == "mpegts":
            return size % (188 if head[:1] == head[188:189] == b"\x47" else 192) > 0
        if demuxer == "avi":
            length = int.from_bytes(head[4:8], "little")
            return length != 0xFFFFFFFF and length + 8 > size
        if demuxer == "asf":
            place = head.find(_ASF_PROPERTIES)
            return place >= 0 and int.from_bytes(head[place + 40 : place + 48], "little") > size
        if demuxer == "matroska":
            return _segment_end(head) > size
        return demuxer == "mov" and _boxes_end(file, size) > size


def _segment_end(head: bytes) -> int:
    """Where the segment that holds a Matroska film should end; 0 where it does not say (a live recording)."""
    place = head.find(_SEGMENT) + len(_SEGMENT)
    if place < len(_SEGMENT) or place >= len(head) or not head[place]:
        return 0
    # The number of leading zeros is that of further bytes; all ones means unknown.
    width = 9 - head[place].bit_length()
    length = int.from_bytes(head[place : place + width], "big") & ((1 << 7 * width) - 1)
    return 0 if length == (1 << 7 * width) - 1 else place + width + length


def _boxes_end(file: BinaryIO, size: int) -> int:
    """Where the last box of an mp4 should end."""
    place = 0
    for _ in range(_MOST_BOXES):
        file.seek(place)
        head = file.read(16)
        length = int.from_bytes(head[8:16] if head[:4] == b"\0\0\0\1" else head[:4], "big")
        if head[4:8] not in _BOXES or length < 8:  # the last box may be of no stated length
            break
        place += length
        if place + 8 > size:
            break
    return place
