"""Damaged, disguised, oversized, odd and long films: what the reader makes of them, beside a naive reader.

    python benchmarks/damaged_video.py              # 2,000 damaged files and a film of one hour
    python benchmarks/damaged_video.py --quick      # 100 damaged files and a film of ten minutes

The naive reader opens what it is given, decodes all of it and catches the library's own errors. Both readers run in
processes of their own, so that crashes and hangs are counted and not suffered. The last line is one JSON object.
"""

import sys
import tempfile
from collections import Counter
from contextlib import suppress
from functools import partial
from pathlib import Path

import av
import numpy as np
import torch

import films
from cookscribe.batch.engine import Crew, run
from cookscribe.batch.outcomes import Work
from cookscribe.encoders import load_encoder
from cookscribe.encoders.base import Progress, silent
from cookscribe.errors import BadFileError, CookscribeError
from cookscribe.progress import track
from cookscribe.video import Frame, Size, VideoFile
from frame import finish, memory_of, options

PATIENCE = 30.0


def read_film(path: Path, progress: Progress) -> str:
    """Everything the program does with a film: frames, sound, one picture."""
    video = VideoFile(path, threads=1)
    samples = sum(len(block) for block in video.sound())
    progress(0.0)
    if video.info.video or not samples:
        assert sum(1 for _ in video.frames(2.0, Size.square(64))) > 0, "no frame, and no error"
        video.picture(1.0, Size.square(64))
    return "with a warning" if video.warnings else "whole"


def read_naively(path: Path, progress: Progress) -> str:
    del progress
    try:
        with av.open(str(path)) as container:
            for frame in container.decode():
                if isinstance(frame, av.VideoFrame):
                    frame.to_ndarray(format="rgb24")
    except av.FFmpegError:
        return "library error"
    except Exception as error:  # counted, not hidden: this is the figure
        return f"untyped {type(error).__name__}"
    return "read"


def ours() -> Work[Path, str]:
    return read_film


def naive() -> Work[Path, str]:
    return read_naively


def damaged_files(folder: Path, count: int, workers: int) -> dict[str, object]:
    """Figure 1. Three films (mp4 twice, mkv), damaged in `count` ways."""
    originals = [
        films.plain(folder / "plain.mp4").read_bytes(),
        films.plain(folder / "fast.mp4", 3.0, options={"bf": "0", "g": "10"}).read_bytes(),
        films.plain(folder / "plain.mkv", 3.0).read_bytes(),
    ]
    paths = []
    for seed in range(count):
        # Of four files three are mp4.
        original = originals[(0, 1, 0, 2)[seed // 4 % 4]]
        path = folder / f"damaged-{seed:04}.mp4"
        path.write_bytes(films.damaged(original, seed))
        paths.append(path)
    crew = Crew(workers=workers, threads=1, patience=PATIENCE)
    kinds: Counter[str] = Counter()
    for outcome in track(run(ours, paths, crew), "damaged files", count):
        kinds[outcome.result or outcome.kind] += 1
        if outcome.kind in {"bug", "crashed", "stuck"}:
            print(outcome.kind, outcome.error, file=sys.stderr)
    naive_kinds: Counter[str] = Counter()
    for outcome in track(run(naive, paths, crew), "damaged files, naive reader", count):
        naive_kinds[outcome.result or outcome.kind] += 1
    return {
        "files": count,
        "read whole": kinds["whole"],
        "read with a warning": kinds["with a warning"],
        "typed error": kinds["refused"],
        "untyped error": kinds["bug"],
        "crash": kinds["crashed"],
        "hang": kinds["stuck"],
        "naive": dict(naive_kinds),
    }


def disguised_files(folder: Path) -> dict[str, object]:
    """Figure 2."""
    cases, opened = films.disguised(folder), []
    for name, path in cases.items():
        with suppress(BadFileError):
            VideoFile(path)
            opened.append(name)
    return {"cases": len(cases), "refused": len(cases) - len(opened), "opened": opened}


def frame_bomb(folder: Path) -> dict[str, object]:
    """Figure 3."""
    path = films.frame_bomb(folder / "bomb.mp4")
    memory = [memory_of("damaged_video", f"{who}({str(path)!r})") for who in ("open_film", "open_naively")]
    ours, naive = (round(after - before) for before, after in memory)
    return {"file KB": path.stat().st_size // 1024, "more MB, ours": ours, "more MB, naive": naive}


def open_film(path: str) -> None:
    with suppress(CookscribeError):
        VideoFile(Path(path))


def open_naively(path: str) -> None:
    read_naively(Path(path), silent)


def variable_rate(folder: Path) -> dict[str, object]:
    """Figure 4. Where are the cuts at 5.0 and 10.0 s? By our times, and by frame number / mean rate."""
    video = VideoFile(films.with_cuts(folder / "cuts.mp4"))

    def cuts(frames: list[Frame]) -> list[int]:
        colours = [int(frame.image.mean(axis=(0, 1)).argmax()) for frame in frames]
        return [n for n in range(1, len(colours)) if colours[n] != colours[n - 1]]

    every, sampled = list(video.frames()), list(video.frames(rate=2.0))
    found = [every[n].time for n in cuts(every)]
    return {
        "ours s": [round(time, 3) for time in found],
        "ours at 2 fps s": [round(sampled[n].time - 0.25, 3) for n in cuts(sampled)],
        "by frame number s": [round(n / (video.info.frame_rate or 1), 2) for n in cuts(every)],
        "error s": round(max(abs(a - b) for a, b in zip(found, (5.0, 10.0), strict=True)), 3),
    }


def long_film(folder: Path, minutes: float) -> dict[str, object]:
    """Figure 12. Peak memory of encoding (effnet) and of listening to a long film, against one of a minute."""
    paths = [films.stills(folder / f"{seconds:.0f}.mp4", seconds) for seconds in (60.0, minutes * 60)]
    short, long = (memory_of("damaged_video", f"encode({str(path)!r})")[1] for path in paths)
    return {"minutes": minutes, "one minute MB": round(short), "long MB": round(long), "ratio": round(long / short, 2)}


def encode(path: str) -> None:
    """By pictures and by sound."""
    torch.set_num_threads(1)
    video = VideoFile(Path(path), threads=1)
    load_encoder("effnet").encode(video)
    sum(len(block) for block in video.sound())


def odd_films(folder: Path) -> dict[str, object]:
    """Figure 13. A feature track or a typed error for each."""
    encoder = load_encoder("effnet")
    makers = {
        "silent": lambda p: films.write_video(p, films.moving(2.0), np.zeros(32_000, np.float32), rate=25.0),
        "no sound": partial(films.plain, sound=False),
        "sound only": films.sound_only,
        "rotated": partial(films.rotated, degrees=90),
        "10 bit": films.ten_bit,
        "zero frames": films.without_frames,
    }
    results = {}
    for name, make in makers.items():
        video_path = make(folder / f"{name.replace(' ', '-')}.mp4")
        try:
            video = VideoFile(video_path)
            made = encoder.encode(video)
            samples = sum(len(block) for block in video.sound())
            results[name] = f"{len(made.times)} rows, {samples / 16_000:.1f} s of sound"
        except CookscribeError as error:
            results[name] = f"{type(error).__name__}: {error.cause}"
    return results


def main() -> None:
    arguments = options(__doc__, "100 damaged files and a film of ten minutes", files=0, workers=2)
    count = arguments.files or (100 if arguments.quick else 2000)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        figures = {
            "1 damaged": damaged_files(folder, count, arguments.workers),
            "2 disguised": disguised_files(folder),
            "3 frame bomb": frame_bomb(folder),
            "4 variable frame rate": variable_rate(folder),
            "12 long film": long_film(folder, 10.0 if arguments.quick else 60.0),
            "13 odd films": odd_films(folder),
        }
    for name, figure in figures.items():
        print(f"{name}: {figure}")
    finish(**figures)


if __name__ == "__main__":
    main()
