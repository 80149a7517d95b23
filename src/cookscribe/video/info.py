"""`VideoInfo` and `probe`: what a film is, before anything is decoded."""

import math
from pathlib import Path
from typing import Any

import av
from av.audio.stream import AudioStream
from av.container import InputContainer
from av.stream import Disposition, Stream
from av.video.stream import VideoStream

from cookscribe.config import Config
from cookscribe.errors import BadFileError
from cookscribe.text.printable import one_line
from cookscribe.video.container import ADVICE, DAMAGE, Limits, local_film, opened, typed
from cookscribe.video.ending import EARLY_SECONDS, EARLY_SHARE, SLACK, cut_off, find_ends
from cookscribe.video.geometry import Orientation

LONGEST_COMMENT = 200


class VideoInfo(Config):
    """What the file says about itself, and how much of it is there. What is there may be damaged; decoding tells.

    Attributes:
        name: file name without folders.
        container: demuxer, e.g. "mov" or "matroska".
        duration: seconds, over all streams, as the file says.
        readable: seconds from the start to the end of the last packet of picture or sound; equal to `duration` unless
            the file ends earlier than it says.
        start: presentation time of the first instant; all times of this package are counted from it.
        bytes: size of the file.
        video: codec of the picture, or None (a sound file in a film container).
        width, height: pixels as coded.
        turned: degrees counter-clockwise by which the picture is to be turned to stand upright: 0, 90, 180 or 270.
        pixel_aspect: width of a pixel divided by its height.
        frame_rate: mean frames per second, or None when the file does not say.
        sound: codec of the sound, or None.
        sample_rate: samples per second of the sound, or None when the file does not say.
        sound_ends: seconds from the start to the end of the last packet of sound, or None.
        comment: what the file's own comment says, shortened; anybody may have written it.
        warnings: what of the promised film is not there, in sentences.
    """

    name: str
    container: str
    duration: float
    readable: float
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
    sound_ends: float | None = None
    comment: str | None = None
    warnings: tuple[str, ...] = ()

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

    The last packets are compared with the length that the headers promise, without decoding.

    Raises:
        MissingFileError: no such file.
        BadFileError: not a film we read, damaged beyond reading, or beyond a limit (the message says which).
    """
    limits = limits or Limits()
    path, demuxer = local_film(path)
    with opened(path, demuxer, limits) as container:
        info = described(path, demuxer, container, limits)
        turned = _turned(container) if info.video else 0
        return info.model_copy(update={"turned": turned, **_ending(path, container, info, limits)})


def described(
    path: Path, demuxer: str, container: InputContainer, limits: Limits, known: VideoInfo | None = None
) -> VideoInfo:
    """`VideoInfo` of an open container, checked against `limits` before a frame is decoded.

    Args:
        known: what was found when the film was opened before; its length is not searched for again.
    """
    with typed(path):
        info = _read(path, demuxer, container, limits, known)
    if info.video is None and info.sound is None:
        raise BadFileError(path, "holds neither picture nor sound that can be read", ADVICE)
    pixels = (info.width or 0) * (info.height or 0)
    if pixels > limits.max_pixels:
        raise BadFileError(
            path,
            f"has frames of {info.width} x {info.height} pixels, more than the limit of {limits.max_pixels}",
            "raise it with --max-pixels if you trust the file",
        )
    if info.duration > limits.max_seconds:
        raise BadFileError(
            path,
            f"is {info.duration:.0f} s long, more than the limit of {limits.max_seconds:.0f} s",
            "raise it with --max-seconds if you trust the file",
        )
    return info


def _read(path: Path, demuxer: str, container: InputContainer, limits: Limits, known: VideoInfo | None) -> VideoInfo:
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
    if sound is not None and sound.codec_context is not None:
        values |= {"sound": sound.codec_context.name, "sample_rate": sound.codec_context.sample_rate or None}
    # Matroska writes its tags in capitals.
    tags = {key.lower(): str(value) for key, value in container.metadata.items()}
    comment = one_line(tags.get("comment", ""))
    duration = known.duration if known else _duration(container, start, limits)
    return VideoInfo(
        name=one_line(path.name),
        comment=comment[:LONGEST_COMMENT] or None,
        container=demuxer,
        duration=duration,
        readable=duration,
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
    except DAMAGE:
        pass  # a damaged tail: the packets before it count
    return end - start


def _turned(container: InputContainer) -> int:
    """Orientation is known to frames only. A film whose first frames cannot be decoded counts as upright here."""
    film = picture_stream(container)
    assert film is not None
    film.thread_type = "NONE"  # for one frame
    try:
        # A scan for the length may have read to the end.
        container.seek(container.start_time or 0)
        for frame in container.decode(film):
            return Orientation.of(frame).degrees
    except DAMAGE:
        pass
    return 0


def _ending(path: Path, container: InputContainer, info: VideoInfo, limits: Limits) -> dict[str, Any]:
    """The fields of `VideoInfo` that tell how much of the film is there."""
    picture = picture_stream(container) if info.video else None
    sound = sound_stream(container)
    duration = info.duration
    ends = find_ends(container, picture, sound, start=info.start, duration=duration, patience=limits.stall_seconds)
    if ends.given_up:
        return {"sound_ends": duration if info.sound else None}
    warnings = []
    readable = duration
    if not ends.reach(duration):
        readable = ends.readable or 0.0
        warnings.append(f"the file says it is {duration:.1f} s long, but only the first {readable:.1f} s can be read")
    elif ends.broken or cut_off(path, info.container):
        readable = min(duration, ends.readable or 0.0)
        warnings.append("the file is cut short: its end is missing")
    for name, stream, end in (("picture", picture, ends.picture), ("sound", sound, ends.sound)):
        if stream is None:
            continue
        end = min(end or 0.0, readable)
        promised = _promised(stream, info)
        lost = promised is not None and promised - end > SLACK
        early = name == "sound" and readable - end > max(EARLY_SECONDS, EARLY_SHARE * readable)
        if (lost and readable - end > SLACK) or early:
            warnings.append(f"the {name} ends after {end:.1f} s of {duration:.1f} s")
    if sound is not None and info.sound is None:
        warnings.append("the sound cannot be decoded: it is of an unknown kind")
    return {
        "readable": readable,
        "sound_ends": min(ends.sound or 0.0, readable) if info.sound else None,
        "warnings": tuple(warnings),
    }


def _promised(stream: Stream, info: VideoInfo) -> float | None:
    """The length that a stream itself states, in seconds; other containers than mov leave it to the library's guess."""
    if info.container != "mov" or not stream.duration or not stream.time_base:
        return None
    return min(float(stream.duration * stream.time_base), info.duration)
