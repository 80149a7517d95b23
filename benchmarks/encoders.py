"""How fast films are encoded on one thread, as multiples of real time, beside doing it plainly.

    python benchmarks/encoders.py            # a film of five minutes, 640 x 360, 30 frames a second, with speech
    python benchmarks/encoders.py --quick    # the same film, 20 seconds of it

"Plainly" decodes every frame, converts each to RGB, and encodes the chosen ones one by one; for speech it is the
recogniser with the settings it comes with. Times are processor seconds of all threads together, so that a busy machine
and overlapping threads do not flatter or spoil them; the wall time of effnet is given beside them. Network weights do
not change the speed: milnce runs with made-up ones. The last line is one JSON object.
"""

import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import av
import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image

from cookscribe.encoders.effnet import EffNetEncoder
from cookscribe.encoders.milnce import MilNceEncoder, load_s3d
from cookscribe.encoders.s3d import S3D
from cookscribe.encoders.speech import SpeechEncoder
from cookscribe.encoders.weights import locate
from cookscribe.seeds import generator
from cookscribe.senses.recogniser import Whisper
from cookscribe.video import Size, VideoFile
from cookscribe.video.writing import write_video
from frame import finish, options

WIDTH, HEIGHT, RATE = 640, 360, 30
LOOP = 20.0
SIDE = EffNetEncoder.side
SPOKEN = Path(__file__).parents[1] / "tests" / "encoders" / "data" / "spoken.ogg"


def drifting(seconds: float) -> Iterator[tuple[float, NDArray[np.uint8]]]:
    """Times and frames of textured shapes that drift over a textured ground, with grain."""
    random = generator("benchmark film")
    ground = np.asarray(
        Image.fromarray(random.integers(40, 200, (45, 80, 3), dtype=np.uint8)).resize(
            (WIDTH, HEIGHT), Image.Resampling.BICUBIC
        )
    )
    shapes = [
        np.asarray(Image.fromarray(random.integers(0, 255, (12, 12, 3), dtype=np.uint8)).resize((96, 96)))
        for _ in range(8)
    ]
    grain = random.integers(0, 10, (8, HEIGHT, WIDTH, 1), dtype=np.uint8)
    phases = random.uniform(0, 6.28, (8, 2))
    for number in range(round(seconds * RATE)):
        image = ground.copy()
        for shape, (a, b) in zip(shapes, phases, strict=True):
            x = int((WIDTH - 96) * (0.5 + 0.5 * np.sin(number / 50 + a)))
            y = int((HEIGHT - 96) * (0.5 + 0.5 * np.cos(number / 40 + b)))
            image[y : y + 96, x : x + 96] = shape
        yield number / RATE, image + grain[number % 8]


def draw_loop(path: Path, seconds: float) -> Path:
    """A film of drifting shapes with a spoken sentence every ten seconds."""
    sentence = np.concatenate(list(VideoFile(SPOKEN).sound()))
    sound = np.zeros(round(seconds * 16_000), np.float32)
    for start in range(0, len(sound), 160_000):
        part = sentence[: len(sound) - start]
        sound[start : start + len(part)] = part
    return write_video(path, drifting(seconds), sound, rate=RATE, options={"preset": "medium", "crf": "26"})


def repeated(loop: Path, path: Path, times: int) -> Path:
    """The loop over and over, by copying its packets."""
    with av.open(str(path), "w") as out, av.open(str(loop)) as first:
        streams = {stream.type: out.add_stream_from_template(stream) for stream in first.streams}
        last: dict[str, int] = {}
        for turn in range(times):
            with av.open(str(loop)) as source:
                for packet in source.demux():
                    kind, shift = packet.stream.type, round(turn * LOOP / float(packet.time_base))
                    # Sound comes in packets of its own length; one that would overlap the last turn's end is left out.
                    if packet.dts is None or packet.dts + shift <= last.get(kind, -(2**62)):
                        continue
                    packet.pts, packet.dts = packet.pts + shift, packet.dts + shift
                    last[kind] = packet.dts
                    packet.stream = streams[kind]
                    out.mux(packet)
    return path


def cost(work: Callable[[], object]) -> tuple[float, float]:
    """Processor and wall seconds."""
    wall, processor = time.monotonic(), time.process_time()
    work()
    return time.process_time() - processor, time.monotonic() - wall


def plain_frames(path: Path, rate: float, side: int) -> list[np.ndarray]:
    """Every frame decoded and converted; `rate` a second of them scaled and kept."""
    kept: list[np.ndarray] = []
    with av.open(str(path)) as container:
        container.streams.video[0].codec_context.thread_count = 1
        for number, frame in enumerate(container.decode(video=0)):
            image = frame.to_ndarray(format="rgb24")
            if number >= len(kept) * RATE / rate:
                kept.append(np.array(Image.fromarray(image).resize((side, side), Image.Resampling.BICUBIC)))
    return kept


def measure(film: Path, short: Path, folder: Path) -> dict[str, dict[str, float]]:
    """Processor seconds per second of film, ours and plainly."""
    length, short_length = VideoFile(film).duration, VideoFile(short).duration
    results: dict[str, dict[str, float]] = {}

    def note(name: str, seconds: float, ours: tuple[float, float], plain: tuple[float, float]) -> None:
        results[name] = {
            "times real time": round(seconds / ours[0], 1),
            "plainly": round(seconds / plain[0], 1),
            "gain": round(plain[0] / ours[0], 2),
            "wall times real time": round(seconds / ours[1], 1),
        }
        print(f"{name:8} {results[name]}", flush=True)

    def decode() -> int:
        return sum(1 for _ in VideoFile(film, threads=1).frames(2.0, Size.square(SIDE)))

    note("decode", length, cost(decode), cost(lambda: plain_frames(film, 2.0, SIDE)))

    effnet = EffNetEncoder()
    effnet.features(np.zeros((8, SIDE, SIDE, 3), np.uint8))

    def one_by_one() -> None:
        for image in plain_frames(film, 2.0, SIDE):
            effnet.features(image[None])

    note("effnet", length, cost(lambda: effnet.encode(VideoFile(film, threads=1))), cost(one_by_one))

    listener = Whisper()
    speech = SpeechEncoder(listener)

    def with_its_settings() -> None:
        samples = np.concatenate(list(VideoFile(film, threads=1).sound()))
        segments, _ = listener.model.transcribe(samples, language="en", word_timestamps=True)
        speech.vectors([segment.text for segment in segments])

    note("speech", length, cost(lambda: speech.encode(VideoFile(film, threads=1))), cost(with_its_settings))

    torch.save(S3D().state_dict(), folder / "s3d_howto100m.pth")
    np.save(folder / "s3d_dict.npy", np.array(["egg"]))
    milnce = MilNceEncoder(folder)
    unfolded, _ = load_s3d(locate("milnce", folder))

    def windows_one_by_one() -> None:
        images = np.stack(plain_frames(short, milnce.rate, milnce.side))
        for start in range(0, max(1, len(images) - 31), 16):
            clip = torch.from_numpy(images[start : start + 32]).permute(3, 0, 1, 2)[None].float() / 255
            with torch.inference_mode():
                unfolded(clip)

    note("milnce", short_length, cost(lambda: milnce.encode(VideoFile(short, threads=1))), cost(windows_one_by_one))
    return results


def main() -> None:
    arguments = options(__doc__, "a film of 20 seconds")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        # Four seconds are three windows of milnce, which takes as many seconds each.
        short = draw_loop(folder / "short.mp4", 4.0 if arguments.quick else LOOP)
        loop = draw_loop(folder / "loop.mp4", LOOP)
        film = loop if arguments.quick else repeated(loop, folder / "film.mp4", 15)
        results = measure(film, short, folder)
        seconds = VideoFile(film).duration
    bar = results["effnet"]["times real time"]
    print(f"effnet takes 1/{bar:.1f} of the film's length on one thread; the bar is 1/8")
    finish(film_seconds=round(seconds, 1), size=f"{WIDTH} x {HEIGHT}", threads=1, **results)


if __name__ == "__main__":
    main()
