"""`VideoFile`: one film, opened safely: its frames at a chosen rate and size, its sound, single pictures."""

from __future__ import annotations

import math
import time as clock
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import av
import numpy as np
from av.container import InputContainer
from av.video.frame import VideoFrame
from av.video.stream import VideoStream
from numpy.typing import NDArray

from cookscribe.errors import BadFileError, BadValueError
from cookscribe.video.container import ADVICE, DAMAGE, Limits, local_film, opened, typed
from cookscribe.video.ending import LEAP, SLACK, scan_ends
from cookscribe.video.geometry import Image, Size, upright
from cookscribe.video.info import VideoInfo, described, picture_stream, probe, sound_stream

# Seconds without picture and sound, after which there is more: something between is lost.
HOLE = 2


# Seconds by which a film may be shorter than it says: containers round lengths to a frame or two.
SHORTER = 0.25


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
        info: what the file says, and how much of it is there.
        duration: seconds to the last readable moment of picture or sound; corrected when decoding shows that it comes
            earlier than it seemed.
        warnings: what was found wrong on opening and while decoding, in plain sentences, each once.
    """

    def __init__(self, path: str | Path, limits: Limits | None = None, threads: int = 0) -> None:
        self.limits = limits or Limits()
        self.path, self._demuxer = local_film(path)
        self.threads = threads
        self.info: VideoInfo = probe(self.path, self.limits)
        self.duration = self.info.readable
        self._warnings: dict[str, None] = dict.fromkeys(self.info.warnings)

    @classmethod
    def of(cls, video: str | Path | VideoFile) -> VideoFile:
        """The film itself if it is open already, with all that is known of it; else the file is opened."""
        return video if isinstance(video, VideoFile) else cls(video)

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
        with self._opened() as container:
            # Enough frames to spare, and each of them short: nobody misses those on which no other depends.
            coarse = rate is not None and (self.info.frame_rate or 0.0) >= max(20.0, 8 * rate)
            timed = self._timed(container, coarse)
            yield from self._sampled(timed, rate, size) if rate else self._each(timed, size)

    def picture(self, time: float, size: Size | None = None) -> Image:
        """(H, W, 3) RGB: the picture on the screen at `time` seconds. Reads from the nearest key frame before it."""
        if self.info.video is None:
            raise BadFileError(self.path, "has no picture, only sound", ADVICE)
        time = min(max(time, 0.0), self.duration)
        _, frame = self._shown_at(time)
        with typed(self.path, "has a frame that cannot be converted"):
            return upright(frame, size, self.info.pixel_aspect)

    def sound(self) -> Iterator[NDArray[np.float32]]:
        """The sound as mono blocks at 16 kHz in [-1, 1], without gaps from second 0; nothing if the film is silent.

        Where the file has no sound for a while, the blocks hold zeros, so the n-th sample is always at n / 16000 s.
        """
        if self.info.sound is None:
            return
        from cookscribe.video.sound import RATE, mono_blocks

        with self._opened() as container:
            stream = sound_stream(container)
            assert stream is not None
            samples = 0
            for block in mono_blocks(container, stream, self.info, self.limits, self.warn):
                samples += len(block)
                yield block
        self._note_sound(samples / RATE)

    def skim(self) -> None:
        """Read the film from its beginning without decoding it, so that damage in its middle shows.

        For whoever takes the words of a film from somewhere else, and would not notice.
        """
        with self._opened() as container:
            ends = scan_ends(
                container,
                picture_stream(container) if self.info.video else None,
                sound_stream(container),
                start=self.info.start,
                duration=self.info.duration,
                patience=self.limits.stall_seconds,
            )
        if not ends.given_up and ends.readable is not None:
            self._note_truncation(ends.readable)
            self._shorten(ends.readable)
        if self.info.video is not None:
            with suppress(BadFileError):
                _, frame = self._shown_at(self.duration)
                # Packets may be there that cannot be decoded. Longer stretches are told by who decodes them.
                picture = max(self._times(frame, 0.0)[1], ends.sound or 0.0)
                if picture >= self.duration - SLACK:
                    self._shorten(picture)

    def _shorten(self, end: float) -> None:
        if end < self.duration - SHORTER:
            self.duration = end

    @contextmanager
    def _opened(self) -> Iterator[InputContainer]:
        with opened(self.path, self._demuxer, self.limits) as container:
            described(self.path, self._demuxer, container, self.limits, self.info)
            yield container

    def _shown_at(self, time: float) -> tuple[float, VideoFrame]:
        """The frame on the screen at `time`, and since when: from a key frame before it, or else from the beginning."""
        for back in (0.0, 2.0, 10.0):
            # Containers are searched by decoding time, which runs ahead: the key frame found may be too late. And the
            # end of a file cut short can be searched for, but not found.
            try:
                return self._first_shown(time, seek_to=max(0.0, time - back))
            except BadFileError:
                continue
        return self._first_shown(time, seek_to=None)

    def _first_shown(self, time: float, seek_to: float | None) -> tuple[float, VideoFrame]:
        with self._opened() as container:
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
                first, best = shown, frame
            return first, best

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
        last, over, count, readable, promised = -math.inf, 0.0, 0, 0.0, 0.0
        covered: set[int] = set()  # the seconds in which there is a packet; picture and sound may lie far apart
        watch = _Watch(self)
        for item in self._packets(container, stream):
            watch.check()
            if isinstance(item, _Seen):
                covered.update(range(max(0, int(item.begin)), int(min(item.end, item.begin + LEAP)) + 1))
                readable = max(readable, item.end)
                promised = max(promised, item.begin if item.pictured else 0.0)
                continue
            watch.count()
            start, end = self._times(item, last)
            if start < last:
                self.warn("some frames carry time stamps that go back; they were left out")
                continue
            if start > max(last, self.info.duration) + LEAP or start > self.limits.max_seconds:
                self.warn("some frames carry time stamps beyond the end; they were left out")
                continue
            last, over, count = start, end, count + 1
            readable = max(readable, min(end, start + LEAP))
            watch.alive()
            yield start, end, item
            watch.alive()
        if count == 0:
            raise BadFileError(self.path, "not one frame can be decoded", "the file may be damaged; try another copy")
        missing = max(covered) - min(covered) + 1 - len(covered) if covered else 0
        # A picture may stand for long, but not while the sound is away too.
        if self.info.sound is not None and missing >= HOLE:
            self.warn(f"about {missing} s in the middle of the film cannot be read")
        self._note_truncation(readable)
        if last < promised - SLACK:
            self._note_picture(over)

    def _set_up(self, stream: VideoStream, coarse: bool) -> None:
        stream.thread_type = "AUTO"
        context = stream.codec_context
        context.thread_count = self.threads
        context.options = {"max_pixels": str(self.limits.max_pixels)}
        if coarse:
            # The picture at a moment is then at most a tenth of a second old, and decoding takes about half the time.
            context.skip_frame = "NONREF"

    def _packets(self, container: InputContainer, stream: VideoStream) -> Iterator[VideoFrame | _Seen]:
        """Decoded frames of `stream`, and before them what the packet says, whether of picture or sound.

        The sound's packets are read too, but not decoded: they tell a file cut short from one whose picture ends before
        its sound.
        """
        sound = sound_stream(container)
        packets = container.demux([stream] if sound is None else [stream, sound])
        damaged = 0
        while True:
            try:
                packet = next(packets, None)
            except DAMAGE:
                self.warn("the file cannot be read to its end; what comes before was used")
                break
            if packet is None:
                break
            if packet.pts is not None and packet.time_base:
                begin = float(packet.pts * packet.time_base) - self.info.start
                end = begin + float((packet.duration or 0) * packet.time_base)
                pictured = packet.stream.index == stream.index and packet.size > 0 and begin <= self.duration
                yield _Seen(min(begin, self.info.duration), min(end, self.info.duration), pictured)
            if packet.stream.index != stream.index:
                continue
            try:
                yield from (frame for frame in packet.decode() if isinstance(frame, VideoFrame))
            except DAMAGE:
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
        if readable < self.duration - SLACK:
            declared = self.info.duration
            self.warn(f"the file says it is {declared:.1f} s long, but only the first {readable:.1f} s can be read")
            self.duration = readable

    def _note_picture(self, end: float) -> None:
        """The packets go on, but no picture after `end` can be decoded. Is there sound at least?"""
        self.warn(f"the picture can be decoded up to {end:.1f} s only")
        if self.info.sound is not None:
            from cookscribe.video.sound import RATE, mono_blocks

            with self._opened() as container:
                stream = sound_stream(container)
                assert stream is not None
                blocks = mono_blocks(container, stream, self.info, self.limits, self.warn)
                end = max(end, sum(len(block) for block in blocks) / RATE)
        self.duration = min(self.duration, end)

    def _note_sound(self, end: float) -> None:
        """Compare the end of the decoded sound with that of its packets. Is there a picture after it at least?"""
        promised = min(self.info.sound_ends or 0.0, self.duration)
        if end and end >= promised - SLACK:
            return
        self.warn(f"the sound can be decoded up to {end:.1f} s only" if end else "the sound cannot be decoded")
        if self.info.video is not None:
            try:
                end = max(end, self._shown_at(self.duration)[0])
            except BadFileError:
                self.warn("the picture cannot be decoded")
        if 0 < end < self.duration - SLACK:
            self.duration = end


@dataclass(frozen=True)
class _Seen:
    """What a packet says of itself: its first and last second, and whether it is a picture that will be shown."""

    begin: float
    end: float
    pictured: bool


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
