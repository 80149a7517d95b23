"""`VideoFile`: one film, opened safely: its frames at a chosen rate and size, its sound, single pictures."""

from __future__ import annotations

import math
import time as clock
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import av
import numpy as np
from av.container import InputContainer
from av.video.frame import VideoFrame
from av.video.stream import VideoStream
from numpy.typing import NDArray

from cookscribe.errors import BadFileError, BadValueError
from cookscribe.video.container import ADVICE, local_film, opened, typed
from cookscribe.video.geometry import Image, Size, upright
from cookscribe.video.info import VideoInfo, described, picture_stream, probe, sound_stream
from cookscribe.video.limits import Limits
from cookscribe.video.sound import mono_blocks

# A time stamp that leaps further than this, past the end the header gives, is a broken stamp and not a long still.
LEAP = 10.0


@dataclass(frozen=True, eq=False)
class Frame:
    """A picture on the time line.

    Attributes:
        time: seconds from the start; the moment asked for when frames are sampled, else the same as `shown`.
        shown: seconds at which this picture appears on the screen. Two frames with equal `shown` are the same picture.
        image: (H, W, 3) RGB, upright.
    """

    time: float
    shown: float
    image: Image


class VideoFile:
    """A local film. It holds no open file between calls, and no call needs memory that grows with the length.

    Args:
        path: a local file. Anything that is not a film we read raises `BadFileError` here, before decoding.
        limits: sizes above which the film is refused.
        threads: decoder threads; 0 lets the decoder choose.

    Attributes:
        info: what the headers say.
        duration: seconds; corrected when decoding shows that the file ends earlier than it says.
        warnings: what was found wrong while decoding, in plain sentences, each once.
    """

    def __init__(self, path: str | Path, limits: Limits | None = None, threads: int = 0) -> None:
        self.limits = limits or Limits()
        self.path, self._demuxer = local_film(path)
        self.threads = threads
        self.info: VideoInfo = probe(self.path, self.limits)
        self.duration = self.info.duration
        self._warnings: dict[str, None] = {}

    @property
    def warnings(self) -> tuple[str, ...]:
        return tuple(self._warnings)

    def warn(self, sentence: str) -> None:
        """Note something a user should know about this film."""
        self._warnings[sentence] = None

    def frames(self, rate: float | None = None, size: Size | None = None) -> Iterator[Frame]:
        """Frames in order of time.

        Args:
            rate: frames per second. The moments are the middles of slices of 1/rate seconds, and each gets the picture
                on the screen at that moment, so a still is repeated (the same `image` object) and a variable frame rate
                does no harm. None gives every frame once, at its own time.
            size: size of the pictures; None keeps that of the film.

        Raises:
            BadFileError: no picture stream, or not one frame could be decoded.
        """
        if rate is not None and not (math.isfinite(rate) and rate > 0):
            raise BadValueError(self.path, f"frames can be sampled at a positive rate only, got {rate}")
        if self.info.video is None:
            raise BadFileError(self.path, "has no picture, only sound", "use an encoder that listens (speech)")
        with opened(self.path, self._demuxer, self.limits) as container:
            described(self.path, self._demuxer, container, self.limits)
            # Enough frames to spare, and each of them short: nobody misses those on which no other depends.
            coarse = rate is not None and (self.info.frame_rate or 0.0) >= max(20.0, 8 * rate)
            timed = self._timed(container, coarse)
            yield from self._sampled(timed, rate, size) if rate else self._each(timed, size)

    def picture(self, time: float, size: Size | None = None) -> Image:
        """(H, W, 3) RGB: the picture on the screen at `time` seconds. Reads from the nearest key frame before it."""
        if self.info.video is None:
            raise BadFileError(self.path, "has no picture, only sound", ADVICE)
        time = min(max(time, 0.0), self.duration)
        frame = self._shown_at(time)
        with typed(self.path, "has a frame that cannot be converted"):
            return upright(frame, size, self.info.pixel_aspect)

    def sound(self) -> Iterator[NDArray[np.float32]]:
        """The sound as mono blocks at 16 kHz in [-1, 1], without gaps from second 0; nothing if the film is silent.

        Where the file has no sound for a while, the blocks hold zeros, so the n-th sample is always at n / 16000 s.
        """
        if self.info.sound is None:
            return
        with opened(self.path, self._demuxer, self.limits) as container:
            described(self.path, self._demuxer, container, self.limits)
            stream = sound_stream(container)
            assert stream is not None
            yield from mono_blocks(container, stream, self.info, self.limits, self.warn)

    def _shown_at(self, time: float) -> VideoFrame:
        """The frame on the screen at `time`: from a key frame before it, or if need be from the beginning."""
        for back in (0.0, 2.0, 10.0):
            # Containers are searched by decoding time, which runs ahead: the key frame found may be too late. And the
            # end of a file cut short can be searched for, but not found.
            try:
                return self._first_shown(time, seek_to=max(0.0, time - back))
            except BadFileError:
                continue
        return self._first_shown(time, seek_to=None)

    def _first_shown(self, time: float, seek_to: float | None) -> VideoFrame:
        with opened(self.path, self._demuxer, self.limits) as container:
            described(self.path, self._demuxer, container, self.limits)
            if seek_to is not None:
                with typed(self.path, "cannot be searched"):
                    container.seek(int((seek_to + self.info.start) * av.time_base), backward=True)
            timed = self._timed(container, coarse=False)
            first, _, best = next(timed)
            if first > time and seek_to is not None:
                raise BadFileError(self.path, f"has no key frame between {seek_to} and {time} s")
            for shown, _, frame in timed:
                if shown > time:
                    break
                best = frame
            return best

    def _each(self, timed: Iterator[tuple[float, float, VideoFrame]], size: Size | None) -> Iterator[Frame]:
        for shown, _, frame in timed:
            with typed(self.path, "has a frame that cannot be converted"):
                image = upright(frame, size, self.info.pixel_aspect)
            yield Frame(shown, shown, image)

    def _sampled(
        self, timed: Iterator[tuple[float, float, VideoFrame]], rate: float, size: Size | None
    ) -> Iterator[Frame]:
        index, over, current = 0, 0.0, None
        for shown, end, frame in timed:
            upcoming = _Lazy(self, shown, frame, size)
            while (moment := (index + 0.5) / rate) < shown:
                # Moments before the first picture get the first picture.
                yield (current or upcoming).at(moment)
                index += 1
            current, over = upcoming, end
        assert current is not None  # _timed yields a frame or raises
        while (moment := (index + 0.5) / rate) < over:
            yield current.at(moment)
            index += 1
        if index == 0:
            # The film is shorter than half a slice; one row describes it all.
            yield current.at(max(over, 0.0) / 2)

    def _timed(self, container: InputContainer, coarse: bool) -> Iterator[tuple[float, float, VideoFrame]]:
        """Decoded frames with the seconds at which each appears and is over; times never go back.

        `coarse` has the decoder leave out frames on which no other frame depends.
        """
        stream = picture_stream(container)
        assert stream is not None
        self._set_up(stream, coarse)
        last, count, readable = -math.inf, 0, 0.0
        watch = _Watch(self)
        for item in self._packets(container, stream):
            watch.check()
            if isinstance(item, float):
                readable = max(readable, item)
                continue
            watch.count()
            start, end = self._times(item, last)
            if start < last:
                self.warn("some frames carry time stamps that go back; they were left out")
                continue
            if start > max(last, self.info.duration) + LEAP or start > self.limits.max_seconds:
                self.warn("some frames carry time stamps beyond the end; they were left out")
                continue
            last, readable, count = start, max(readable, min(end, start + LEAP)), count + 1
            watch.alive()
            yield start, end, item
            watch.alive()
        if count == 0:
            raise BadFileError(self.path, "not one frame can be decoded", "the file may be damaged; try another copy")
        self._note_truncation(readable)

    def _set_up(self, stream: VideoStream, coarse: bool) -> None:
        stream.thread_type = "AUTO"
        context = stream.codec_context
        context.thread_count = self.threads
        context.options = {"max_pixels": str(self.limits.max_pixels)}
        if coarse:
            # The picture at a moment is then at most a tenth of a second old, and decoding takes about half the time.
            context.skip_frame = "NONREF"

    def _packets(self, container: InputContainer, stream: VideoStream) -> Iterator[VideoFrame | float]:
        """Decoded frames of `stream`, and the end of every packet of film and sound in seconds (floats).

        The sound's packets are read too, but not decoded: they tell a file cut short from one whose picture ends before
        its sound.
        """
        sound = sound_stream(container)
        packets = container.demux([stream] if sound is None else [stream, sound])
        damaged = 0
        while True:
            try:
                packet = next(packets, None)
            except (av.FFmpegError, ValueError, ArithmeticError, MemoryError):
                self.warn("the file cannot be read to its end; what comes before was used")
                break
            if packet is None:
                break
            if packet.pts is not None and packet.time_base:
                end = float((packet.pts + (packet.duration or 0)) * packet.time_base) - self.info.start
                yield min(end, self.info.duration)
            if packet.stream.index != stream.index:
                continue
            try:
                yield from (frame for frame in packet.decode() if isinstance(frame, VideoFrame))
            except (av.FFmpegError, ValueError, ArithmeticError, MemoryError):
                damaged += 1
        if damaged:
            self.warn("some frames are damaged and were left out")

    def _times(self, frame: VideoFrame, last: float) -> tuple[float, float]:
        """When a frame appears and when it is over. A frame without a stamp follows its predecessor."""
        length = 1 / self.info.frame_rate if self.info.frame_rate else 0.04
        base = frame.time_base
        stamp = frame.pts if frame.pts is not None else frame.dts
        if stamp is None or not base:
            start = last + length if math.isfinite(last) else 0.0
        else:
            start = float(stamp * base) - self.info.start
        if frame.duration and base:
            length = float(frame.duration * base)
        # Lengths are stored in decoding order; the last frame shown may have got that of a long still.
        return start, min(start + length, max(self.info.duration, start + min(length, 0.04)))

    def _note_truncation(self, readable: float) -> None:
        declared = self.info.duration
        if readable < declared - max(1.0, 0.02 * declared):
            self.warn(f"the file says it is {declared:.1f} s long, but only the first {readable:.1f} s can be read")
            self.duration = readable


class _Lazy:
    """A decoded frame that is converted once, when it is first asked for."""

    def __init__(self, video: VideoFile, shown: float, frame: VideoFrame, size: Size | None) -> None:
        self.video, self.shown, self.frame, self.size = video, shown, frame, size
        self.image: Image | None = None

    def at(self, moment: float) -> Frame:
        if self.image is None:
            with typed(self.video.path, "has a frame that cannot be converted"):
                self.image = upright(self.frame, self.size, self.video.info.pixel_aspect)
        return Frame(moment, self.shown, self.image)


class _Watch:
    """Gives up on a file that keeps the decoder busy without getting anywhere."""

    def __init__(self, video: VideoFile) -> None:
        self.path, self.limits = video.path, video.limits
        self.frames_left = (video.info.duration + LEAP) * video.limits.max_frames_per_second
        self.alive()

    def alive(self) -> None:
        self.last = clock.monotonic()

    def count(self) -> None:
        self.frames_left -= 1
        if self.frames_left < 0:
            raise BadFileError(
                self.path,
                f"holds more than {self.limits.max_frames_per_second:g} frames a second",
                "raise max_frames_per_second if you trust the file",
            )

    def check(self) -> None:
        if clock.monotonic() - self.last > self.limits.stall_seconds:
            raise BadFileError(
                self.path,
                f"decoding brought nothing new for {self.limits.stall_seconds:g} s",
                "the file may be damaged; raise stall_seconds on a slow machine",
            )
