"""`write_video`: pictures and sound into a small mp4, for drawn kitchens, tests and benchmarks."""

from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
from av.audio.frame import AudioFrame
from av.audio.stream import AudioStream
from av.container import OutputContainer
from av.video.frame import VideoFrame
from av.video.stream import VideoStream
from numpy.typing import NDArray

from cookscribe.errors import BadValueError
from cookscribe.files import replacing

TICKS = 30_000  # of a second: whole for 24, 25, 30 and 60 frames a second and for milliseconds


def write_video(
    path: Path,
    frames: Iterable[tuple[float, NDArray[np.uint8]]],
    sound: NDArray[np.float32] | None = None,
    *,
    rate: float = 30.0,
    sound_rate: int = 16_000,
    codec: str = "libx264",
    options: dict[str, str] | None = None,
    metadata: dict[str, str] | None = None,
) -> Path:
    """Write a film, atomically; the suffix of `path` chooses the container (.mp4, .mkv, .webm with fitting codecs).

    Args:
        frames: (seconds, (H, W, 3) RGB) in order of time; H and W even. The frame rate may vary.
        sound: mono samples in [-1, 1], or None for a film without sound.
        rate: frames per second to declare; the times decide when a frame is shown.
        sound_rate: samples per second of `sound`.
        codec: video codec.
        options: options of the codec, e.g. {"crf": "30"}.
        metadata: tags of the file, e.g. {"title": "tomato soup"}.
    """
    clock = Fraction(1, TICKS)
    with replacing(path) as temporary, av.open(str(temporary), "w") as container:
        container.metadata.update(metadata or {})
        video: VideoStream | None = None
        audio = None
        if sound is not None:
            audio = container.add_stream("libopus" if path.suffix == ".webm" else "aac", rate=sound_rate, layout="mono")
            assert isinstance(audio, AudioStream)
        for seconds, image in frames:
            if video is None:
                video = _video_stream(container, codec, image.shape, rate, options or {})
            frame = VideoFrame.from_ndarray(np.ascontiguousarray(image), format="rgb24")
            frame.pts, frame.time_base = round(seconds * TICKS), clock
            frame.duration = round(TICKS / rate)  # counts for the last frame only
            container.mux(video.encode(frame))
        if video is None:
            raise BadValueError(path, "a film needs at least one frame")
        container.mux(video.encode(None))
        if audio is not None and sound is not None:
            for start in range(0, len(sound), 1024):
                block = np.ascontiguousarray(sound[None, start : start + 1024], dtype=np.float32)
                voice = AudioFrame.from_ndarray(block, format="fltp", layout="mono")
                voice.sample_rate, voice.pts, voice.time_base = sound_rate, start, Fraction(1, sound_rate)
                container.mux(audio.encode(voice))
            container.mux(audio.encode(None))
    return path


def _video_stream(
    container: OutputContainer, codec: str, shape: tuple[int, ...], rate: float, options: dict[str, str]
) -> VideoStream:
    stream = container.add_stream(codec, rate=Fraction(rate).limit_denominator(1001))
    assert isinstance(stream, VideoStream)
    stream.height, stream.width = shape[:2]
    stream.pix_fmt = "yuv420p"
    stream.codec_context.time_base = Fraction(1, TICKS)
    stream.codec_context.thread_count = 1  # the same film on every machine
    stream.options = {**encoder_options(codec, options)}
    return stream


def encoder_options(codec: str, options: dict[str, str]) -> dict[str, str]:
    """The encoder's options: `options`, which win, over what every film of ours is written with."""
    if codec != "libx264":
        return dict(options)
    # With x264's macroblock tree the same frames give other bytes at times, on processors with AVX-512.
    return {"preset": "veryfast", "mbtree": "0", **options}
