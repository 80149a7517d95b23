"""Films made up for tests and benchmarks: plain ones, odd ones, hostile ones. All are drawn here; none is copied."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
from numpy.typing import NDArray

from cookscribe.seeds import generator
from cookscribe.video.writing import write_video

Picture = NDArray[np.uint8]
SOUND_RATE = 16_000
DAMAGES = ("cut short", "with bytes changed", "with bits of the header flipped", "spliced", "blank for a stretch")
# How each container is written: ending, codecs of picture and sound, options of the writer.
CONTAINERS: dict[str, tuple[str, str, str, dict[str, str]]] = {
    "mp4": (".mp4", "libx264", "aac", {}),
    "mp4 front": (".mp4", "libx264", "aac", {"movflags": "faststart"}),
    # All of the picture, then all of the sound.
    "mp4 apart": (".mp4", "libx264", "aac", {"movflags": "faststart", "max_interleave_delta": "1"}),
    "mkv": (".mkv", "libx264", "aac", {}),
    "webm": (".webm", "libvpx", "libopus", {}),
    "ts": (".ts", "libx264", "aac", {}),
    "avi": (".avi", "mpeg4", "libmp3lame", {}),
}


def moving(seconds: float, rate: float = 25.0, width: int = 160, height: int = 120) -> Iterator[tuple[float, Picture]]:
    """A bright disc that circles over a gradient."""
    rows, columns = np.mgrid[0:height, 0:width]
    for number in range(round(seconds * rate)):
        time = number / rate
        image = np.zeros((height, width, 3), np.uint8)
        image[..., 0] = columns * 255 // width
        image[..., 1] = rows * 255 // height
        centre = height * (0.5 + 0.3 * np.sin(time)), width * (0.5 + 0.3 * np.cos(time))
        image[np.hypot(rows - centre[0], columns - centre[1]) < height / 6] = 230
        yield time, image


def tone(seconds: float, pitch: float = 440.0) -> NDArray[np.float32]:
    """A sine tone."""
    return (0.4 * np.sin(2 * np.pi * pitch * np.arange(round(seconds * SOUND_RATE)) / SOUND_RATE)).astype(np.float32)


def plain(path: Path, seconds: float = 4.0, sound: bool = True, **options: object) -> Path:
    """A film of the moving disc, with a tone."""
    return write_video(path, moving(seconds), tone(seconds) if sound else None, rate=25.0, **options)  # type: ignore[arg-type]


def contained(
    path: Path,
    container: str,
    pictures: list[Picture],
    sound: NDArray[np.float32] | None,
    rate: int = 10,
    comment: str = "",
) -> Path:
    """A film in one of `CONTAINERS`: `rate` pictures a second, and mono sound of 16,000 samples a second."""
    _, picture_codec, sound_codec, options = CONTAINERS[container]
    packets: list[av.Packet] = []
    with av.open(str(path), "w", options=options) as out:
        out.metadata["comment"] = comment
        film = out.add_stream(picture_codec, rate=rate)
        film.height, film.width = pictures[0].shape[:2]
        film.pix_fmt, film.codec_context.thread_count, film.codec_context.gop_size = "yuv420p", 1, 2 * rate
        voice = None if sound is None else out.add_stream(sound_codec, rate=SOUND_RATE, layout="mono")
        for number, image in enumerate(pictures):
            frame = av.VideoFrame.from_ndarray(image, format="rgb24")
            frame.pts, frame.time_base = number, Fraction(1, rate)
            packets += film.encode(frame)
        packets += film.encode(None)
        if voice is not None and sound is not None:
            fifo, resampler = av.AudioFifo(), av.AudioResampler(format=voice.format, layout="mono", rate=SOUND_RATE)
            samples = av.AudioFrame.from_ndarray(np.ascontiguousarray(sound[None]), format="flt", layout="mono")
            samples.sample_rate, samples.pts, samples.time_base = SOUND_RATE, 0, Fraction(1, SOUND_RATE)
            for part in resampler.resample(samples):
                fifo.write(part)
            while (block := fifo.read(voice.codec_context.frame_size or 1024, partial=True)) is not None:
                packets += voice.encode(block)
            packets += voice.encode(None)
        if "max_interleave_delta" not in options:
            packets.sort(key=lambda packet: float(packet.dts * packet.time_base))
        for packet in packets:
            out.mux_one(packet)
    return path


def flat(colour: tuple[int, int, int], width: int = 64, height: int = 48) -> Picture:
    """A picture of one colour."""
    return np.full((height, width, 3), colour, np.uint8)


def with_cuts(path: Path) -> Path:
    """Red, green, blue with cuts at 5.0 and 10.0 s, at 30, 6 and 15 frames a second in the three parts."""
    parts = ((0.0, 30, (200, 30, 30)), (5.0, 6, (30, 200, 30)), (10.0, 15, (30, 30, 200)))
    frames = ((start + n / rate, flat(colour)) for start, rate, colour in parts for n in range(5 * rate))
    return write_video(path, frames)


def stills(path: Path, seconds: float, each: float = 5.0, sound: bool = True) -> Path:
    """A slide show: one frame every `each` seconds, for long films that are made quickly."""
    random = generator("stills")
    colours = random.integers(0, 255, (max(1, round(seconds / each)), 3))
    frames = [(number * each, flat((int(c[0]), int(c[1]), int(c[2])))) for number, c in enumerate(colours)]
    frames.append((seconds - 0.04, frames[-1][1]))
    noise = generator("noise").normal(0, 0.05, round(seconds * SOUND_RATE)).astype(np.float32) if sound else None
    return write_video(path, frames, noise, rate=25.0)


def frame_bomb(path: Path, side: int = 8192, frames: int = 12) -> Path:
    """Black frames of 67 million pixels in a file of 200 KB. Making one takes more than a gigabyte."""
    options = {"preset": "ultrafast", "crf": "40"}
    return write_video(path, ((n / 30, flat((0, 0, 0), side, side)) for n in range(frames)), options=options)


def rotated(path: Path, degrees: int, hflip: bool = False, vflip: bool = False) -> Path:
    """A picture with a different colour in each corner, and a display matrix that turns (and mirrors) it."""
    image = flat((0, 0, 0), 64, 32)
    image[:16, :32], image[:16, 32:], image[16:, :32], image[16:, 32:] = (
        (220, 20, 20),
        (20, 220, 20),
        (20, 20, 220),
        (220, 220, 220),
    )

    def prepare(stream: av.VideoStream) -> None:
        stream.set_display_rotation(degrees, hflip=hflip, vflip=vflip)

    return _encoded(path, [image] * 10, prepare)


def ten_bit(path: Path) -> Path:
    """HEVC with ten bits a sample."""

    def prepare(stream: av.VideoStream) -> None:
        stream.pix_fmt = "yuv420p10le"
        stream.options = {"x265-params": "log-level=none", "preset": "ultrafast"}

    return _encoded(path, [image for _, image in moving(2.0, 10.0)], prepare, codec="libx265")


def sound_only(path: Path, seconds: float = 3.0) -> Path:
    """An mp4 without a picture."""
    with av.open(str(path), "w") as container:
        stream = container.add_stream("aac", rate=SOUND_RATE, layout="mono")
        frame = av.AudioFrame.from_ndarray(tone(seconds)[None], format="fltp", layout="mono")
        frame.sample_rate = SOUND_RATE
        container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return path


def without_frames(path: Path) -> Path:
    """An mp4 whose picture stream holds no frame."""
    whole = plain(path.with_name("whole-" + path.name), seconds=1.0, sound=False).read_bytes()
    # Blanking the media data leaves headers that promise frames which are not there.
    start = whole.index(b"mdat") + 4
    end = whole.index(b"moov") - 4
    path.write_bytes(whole[:start] + bytes(end - start) + whole[end:])
    return path


def _encoded(
    path: Path, images: list[Picture], prepare: Callable[[av.VideoStream], None], codec: str = "libx264"
) -> Path:
    with av.open(str(path), "w") as container:
        stream = container.add_stream(codec, rate=10)
        stream.height, stream.width = images[0].shape[:2]
        stream.pix_fmt = "yuv420p"
        prepare(stream)
        for number, image in enumerate(images):
            frame = av.VideoFrame.from_ndarray(image, format="rgb24")
            frame.pts, frame.time_base = number, Fraction(1, 10)
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return path


def disguised(folder: Path) -> dict[str, Path | str]:
    """Things that are called .mp4 and are not films: name -> file or address."""
    victim = plain(folder / "victim.mp4", seconds=1.0)
    picture = folder / "picture.png"
    from PIL import Image

    Image.fromarray(flat((200, 0, 0))).save(picture)
    contents: dict[str, bytes] = {
        "ffconcat script": f"ffconcat version 1.0\nfile '{victim}'\n".encode(),
        "HLS playlist": f"#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:1,\nfile://{victim}\n#EXT-X-ENDLIST\n".encode(),
        "HLS playlist of a network address": b"#EXTM3U\n#EXTINF:1,\nhttp://127.0.0.1:9/a.ts\n#EXT-X-ENDLIST\n",
        "DASH manifest": b'<?xml version="1.0"?><MPD><Period><BaseURL>http://127.0.0.1:9/</BaseURL></Period></MPD>',
        "SDP session": b"v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video 5004 RTP/AVP 96\n",
        "PNG picture": picture.read_bytes(),
        "GIF picture": b"GIF89a" + bytes(64),
        "SVG picture": b'<svg xmlns="http://www.w3.org/2000/svg"><image href="http://127.0.0.1:9/"/></svg>',
        "AVIF picture": b"\0\0\0\x1cftypavif\0\0\0\0avifmif1miaf" + bytes(64),
        "subtitles": b"WEBVTT\n\n00:00.000 --> 00:01.000\nhello\n",
        "text": b"this is not a film\n" * 50,
        "network address as text": b"http://127.0.0.1:9/film.mp4\n",
        "program": b"#!/bin/sh\necho hello\n",
        "zip archive": b"PK\x03\x04" + bytes(200),
        "zeros": bytes(4096),
        "empty file": b"",
        "mp4 header and text": b"\0\0\0\x18ftypisom\0\0\2\0isomiso2" + b"ffconcat version 1.0\n" * 20,
    }
    cases: dict[str, Path | str] = {}
    for number, (name, content) in enumerate(contents.items()):
        path = folder / f"disguised-{number}.mp4"
        path.write_bytes(content)
        cases[name] = path
    cases["network address"] = "http://127.0.0.1:9/film.mp4"
    cases["concat address"] = f"concat:{victim}|{victim}"
    cases["folder"] = folder
    return cases


def damaged(original: bytes, seed: int) -> bytes:
    """A film that is `DAMAGES[seed % 5]`; the seed decides where."""
    random = generator("damaged film", seed)
    data = bytearray(original)
    kind = seed % len(DAMAGES)
    if kind == 4:
        start, end = sorted(int(place) for place in random.integers(0, len(data), 2))
        data[start:end] = bytes(end - start)
        return bytes(data)
    if kind == 0:
        return bytes(data[: int(random.integers(1, len(data)))])
    if kind == 1:
        for place in random.integers(0, len(data), int(random.integers(1, 200))):
            data[place] = int(random.integers(256))
        return bytes(data)
    if kind == 2:
        # Headers are few bytes among many; half of the damage goes there.
        header = data.find(b"moov") if random.random() < 0.7 and b"moov" in data else 0
        for _ in range(int(random.integers(1, 20))):
            place = min(len(data) - 1, header + int(random.integers(0, 2000)))
            data[place] ^= 1 << int(random.integers(8))
        return bytes(data)
    source, target = (int(place) for place in random.integers(0, len(data), 2))
    length = int(random.integers(1, max(2, len(data) // 4)))
    return bytes(data[:target] + data[source : source + length] + data[target + int(random.integers(0, length)) :])
