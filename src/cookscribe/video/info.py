"""`VideoInfo` and `probe`: what a film is, before anything is decoded."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import av
from av.audio.stream import AudioStream
from av.container import InputContainer
from av.stream import Disposition
from av.video.frame import VideoFrame
from av.video.stream import VideoStream

from cookscribe.config import Config
from cookscribe.errors import BadFileError
from cookscribe.video.container import ADVICE, local_film, opened, typed
from cookscribe.video.limits import Limits

LONGEST_COMMENT = 200


class VideoInfo(Config):
    """What the file says about itself. A damaged file may say more than it holds; decoding tells.

    Attributes:
        name: file name without folders.
        container: demuxer, e.g. "mov" or "matroska".
        duration: seconds, over all streams.
        start: presentation time of the first instant; all times of this package are counted from it.
        bytes: size of the file.
        video: codec of the picture, or None (a sound file in a film container).
        width, height: pixels as coded.
        turned: degrees counter-clockwise by which the picture is to be turned to stand upright: 0, 90, 180 or 270.
        pixel_aspect: width of a pixel divided by its height.
        frame_rate: mean frames per second, or None when the file does not say.
        sound: codec of the sound, or None.
        sample_rate: samples per second of the sound, or None.
        comment: what the file's own comment says, shortened; anybody may have written it.
    """

    name: str
    container: str
    duration: float
    start: float
    bytes: int
    video: str | None = None
    width: int | None = None
    height: int | None = None
    turned: int = 0
    pixel_aspect: float = 1.0
    frame_rate: float | None = None
    sound: str | None = None
    sample_rate: int | None = None
    comment: str | None = None

    @property
    def upright(self) -> tuple[int, int] | None:
        """Width and height as seen: turned, and with square pixels. None without a picture."""
        if self.width is None or self.height is None:
            return None
        seen = max(1, round(self.width * self.pixel_aspect)), self.height
        return seen if self.turned % 180 == 0 else (seen[1], seen[0])


def picture_stream(container: InputContainer) -> VideoStream | None:
    """The first stream that is a film; the cover picture of a sound file is not one."""
    films = [s for s in container.streams.video if not s.disposition & Disposition.attached_pic]
    return films[0] if films else None


def sound_stream(container: InputContainer) -> AudioStream | None:
    """The first sound stream, if there is one."""
    return container.streams.audio[0] if container.streams.audio else None


def probe(path: str | Path, limits: Limits | None = None) -> VideoInfo:
    """Read the headers of a film, check them against `limits`, and only then look at one frame for its orientation.

    Raises:
        MissingFileError: no such file.
        BadFileError: not a film we read, damaged beyond reading, or beyond a limit (the message says which).
    """
    limits = limits or Limits()
    path, demuxer = local_film(path)
    with opened(path, demuxer, limits) as container:
        info = described(path, demuxer, container, limits)
        return info.model_copy(update={"turned": _turned(container)}) if info.video else info


def described(path: Path, demuxer: str, container: InputContainer, limits: Limits) -> VideoInfo:
    """`VideoInfo` of an open container, checked against `limits` before a frame is decoded."""
    with typed(path):
        info = _read(path, demuxer, container, limits)
    if info.video is None and info.sound is None:
        raise BadFileError(path, "holds neither picture nor sound that can be read", ADVICE)
    pixels = (info.width or 0) * (info.height or 0)
    if pixels > limits.max_pixels:
        raise BadFileError(
            path,
            f"has frames of {info.width} x {info.height} pixels, more than the limit of {limits.max_pixels}",
            "raise max_pixels if you trust the file",
        )
    if info.duration > limits.max_seconds:
        raise BadFileError(
            path,
            f"is {info.duration:.0f} s long, more than the limit of {limits.max_seconds:.0f} s",
            "raise max_seconds if you trust the file",
        )
    return info


def _read(path: Path, demuxer: str, container: InputContainer, limits: Limits) -> VideoInfo:
    if len(container.streams) > limits.max_streams:
        raise BadFileError(path, f"has {len(container.streams)} streams", "raise max_streams if you trust the file")
    film, sound = picture_stream(container), sound_stream(container)
    start = container.start_time / av.time_base if container.start_time is not None else 0.0
    values: dict[str, Any] = {}
    if film is not None and film.codec_context is not None and film.width > 0 and film.height > 0:
        aspect = float(film.sample_aspect_ratio or 1)
        rate = float(film.average_rate or film.guessed_rate or 0)
        values |= {
            "video": film.codec_context.name,
            "width": film.width,
            "height": film.height,
            # Nonsense from a damaged header is taken for square pixels.
            "pixel_aspect": aspect if 0.1 < aspect < 10 else 1.0,
            "frame_rate": rate if math.isfinite(rate) and rate > 0 else None,
        }
    if sound is not None and sound.codec_context is not None and sound.codec_context.sample_rate > 0:
        values |= {"sound": sound.codec_context.name, "sample_rate": sound.codec_context.sample_rate}
    comment = " ".join(str(container.metadata.get("comment", "")).split())
    return VideoInfo(
        name=path.name,
        comment=comment[:LONGEST_COMMENT] or None,
        container=demuxer,
        duration=_duration(container, start, limits),
        start=start,
        bytes=path.stat().st_size,
        **values,
    )


def _duration(container: InputContainer, start: float, limits: Limits) -> float:
    if container.duration is not None and container.duration > 0:
        return container.duration / av.time_base
    # Live recordings do not know their length: read on to the last packet, without decoding.
    end = start
    try:
        for packet in container.demux():
            if packet.pts is not None:
                end = max(end, float((packet.pts + (packet.duration or 0)) * packet.time_base))
            if end - start > limits.max_seconds:
                break
    except av.FFmpegError:
        pass  # a damaged tail: the packets before it count
    return end - start


def _turned(container: InputContainer) -> int:
    """Orientation is known to frames only. A film whose first frames cannot be decoded counts as upright here."""
    film = picture_stream(container)
    try:
        # A scan for the length may have read to the end.
        container.seek(container.start_time or 0)
        for packet in container.demux(film):
            for frame in packet.decode():
                assert isinstance(frame, VideoFrame)
                return round(frame.rotation / 90) % 4 * 90
    except (av.FFmpegError, ValueError, ArithmeticError):
        pass
    return 0
