"""Sound as mono blocks of 16,000 samples a second, in step with the picture."""

from collections.abc import Callable, Iterator

import numpy as np
from av.audio.frame import AudioFrame
from av.audio.resampler import AudioResampler
from av.audio.stream import AudioStream
from av.container import InputContainer
from numpy.typing import NDArray

from cookscribe.video.container import DAMAGE, Limits
from cookscribe.video.info import VideoInfo

RATE = 16_000
# Codecs jitter by a few milliseconds; only a larger hole is filled with silence.
HOLE = 0.1
Block = NDArray[np.float32]


def mono_blocks(
    container: InputContainer, stream: AudioStream, info: VideoInfo, limits: Limits, warn: Callable[[str], None]
) -> Iterator[Block]:
    """Blocks of float32 samples in [-1, 1]; the n-th sample of all is at n / 16000 s from the start of the film.

    Holes in the time stamps become zeros; stamps that leap beyond the end of the film are not believed.
    """
    position = 0
    most = round(limits.max_seconds * RATE)
    end = round((info.duration + HOLE) * RATE)
    resampler = _Resampler()
    for frame in _decoded(container, stream, warn):
        if frame.pts is not None and frame.time_base:
            due = round((float(frame.pts * frame.time_base) - info.start) * RATE) - resampler.delay
            if due > end + RATE:
                warn("some sound carries time stamps beyond the end; they were not believed")
            elif due - position > HOLE * RATE:
                yield from _silence(due - position)
                position = due
        for block in resampler.convert(frame):
            block = block[: most - position]
            position += len(block)
            yield block
        if position >= most:
            warn(f"the sound is longer than the limit of {limits.max_seconds:.0f} s; the rest was left out")
            return
    yield from resampler.rest()


def _decoded(container: InputContainer, stream: AudioStream, warn: Callable[[str], None]) -> Iterator[AudioFrame]:
    packets = container.demux(stream)
    while True:
        try:
            packet = next(packets, None)
        except DAMAGE:
            warn("the file cannot be read to its end; what comes before was used")
            return
        if packet is None:
            return
        try:
            yield from packet.decode()
        except DAMAGE:
            warn("some of the sound is damaged and was left out")


class _Resampler:
    """Converts frames of any kind; a stream may change its kind on the way."""

    def __init__(self) -> None:
        self._kind: tuple[object, ...] = ()
        self._resampler: AudioResampler | None = None
        self.delay = 0

    def convert(self, frame: AudioFrame) -> Iterator[Block]:
        kind = (frame.format.name, frame.layout.name, frame.sample_rate)
        if kind != self._kind:
            yield from self.rest()
            self._kind = kind
            self._resampler = AudioResampler(format="flt", layout="mono", rate=RATE)
        yield from self._through(frame)

    def rest(self) -> Iterator[Block]:
        if self._resampler is not None:
            yield from self._through(None)
            self._resampler = None

    def _through(self, frame: AudioFrame | None) -> Iterator[Block]:
        assert self._resampler is not None
        try:
            for out in self._resampler.resample(frame):
                # A codec may hand out what is not a number; to a listener that is silence.
                yield np.clip(np.nan_to_num(out.to_ndarray().reshape(-1).astype(np.float32)), -1.0, 1.0)
        except DAMAGE:
            self._kind, self._resampler = (), None


def _silence(samples: int) -> Iterator[Block]:
    """Zeros in blocks of at most ten seconds."""
    while samples > 0:
        length = min(samples, 10 * RATE)
        yield np.zeros(length, dtype=np.float32)
        samples -= length
