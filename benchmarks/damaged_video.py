"""Damaged, disguised, oversized, odd and long films: what the reader makes of them, beside a naive reader.

    python benchmarks/damaged_video.py              # 2,000 damaged files and a film of one hour
    python benchmarks/damaged_video.py --quick      # 100 damaged files and a film of ten minutes

The naive reader opens what it is given, decodes all of it and catches the library's own errors. Both readers run in
processes of their own, so that crashes and hangs are counted and not suffered. The last line is one JSON object.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter
from functools import partial
from pathlib import Path

import av
import numpy as np

import films
from cookscribe.batch.engine import Crew, run
from cookscribe.batch.outcomes import Work
from cookscribe.encoders.base import Progress
from cookscribe.errors import BadFileError, CookscribeError
from cookscribe.progress import track
from cookscribe.video import Size, VideoFile

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
    opened, refused = [], 0
    for name, path in films.disguised(folder).items():
        try:
            VideoFile(path)
            opened.append(name)
        except BadFileError:
            refused += 1
    return {"cases": refused + len(opened), "refused": refused, "opened": opened}


def in_child(*arguments: str) -> dict[str, float]:
    """Run a part of this script in a fresh process; its peak memory is its own."""
    done = subprocess.run([sys.executable, __file__, *arguments], check=True, capture_output=True, text=True)
    return json.loads(done.stdout.splitlines()[-1])  # type: ignore[no-any-return]


def peak() -> float:
    """Largest resident memory of this process in megabytes. (`getrusage` would count the parent's before the start.)"""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


def frame_bomb(folder: Path) -> dict[str, object]:
    """Figure 3."""
    path = films.frame_bomb(folder / "bomb.mp4")
    return {
        "file KB": path.stat().st_size // 1024,
        "ours MB": round(in_child("--child", "open", str(path))["peak"]),
        "naive MB": round(in_child("--child", "naive", str(path))["peak"]),
    }


def variable_rate(folder: Path) -> dict[str, object]:
    """Figure 4. Where are the cuts at 5.0 and 10.0 s? By our times, and by frame number / mean rate."""
    video = VideoFile(films.with_cuts(folder / "cuts.mp4"))

    def cuts(colours: list[int], times: list[float]) -> list[float]:
        changes = [n for n in range(1, len(colours)) if colours[n] != colours[n - 1]]
        return [times[n] for n in changes]

    every = list(video.frames())
    colours = [int(frame.image.mean(axis=(0, 1)).argmax()) for frame in every]
    found = cuts(colours, [frame.time for frame in every])
    by_number = cuts(colours, [n / (video.info.frame_rate or 1) for n in range(len(every))])
    sampled = list(video.frames(rate=2.0))
    middle = [frame.time - 0.25 for frame in sampled]
    coarse = cuts([int(frame.image.mean(axis=(0, 1)).argmax()) for frame in sampled], middle)
    return {
        "ours s": [round(t, 3) for t in found],
        "ours at 2 fps s": [round(t, 3) for t in coarse],
        "by frame number s": [round(t, 2) for t in by_number],
        "error s": round(max(abs(a - b) for a, b in zip(found, (5.0, 10.0), strict=True)), 3),
    }


def long_film(folder: Path, minutes: float) -> dict[str, object]:
    """Figure 12. Peak memory of encoding (effnet) and of listening to a long film, against one of a minute."""
    peaks = {}
    for name, length in (("one minute", 60.0), ("long", minutes * 60)):
        path = films.stills(folder / f"{name}.mp4", length)
        peaks[name] = in_child("--child", "encode", str(path))["peak"]
    return {
        "minutes": minutes,
        "one minute MB": round(peaks["one minute"]),
        "long MB": round(peaks["long"]),
        "ratio": round(peaks["long"] / peaks["one minute"], 2),
    }


def odd_films(folder: Path) -> dict[str, object]:
    """Figure 13. A feature track or a typed error for each."""
    from cookscribe.encoders import load_encoder

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


def child(task: str, path: Path) -> None:
    if task == "open":
        try:
            VideoFile(path)
        except CookscribeError as error:
            print(error, file=sys.stderr)
    elif task == "naive":
        read_naively(path, lambda _: None)
    else:
        import torch

        from cookscribe.encoders import load_encoder

        torch.set_num_threads(1)
        video = VideoFile(path, threads=1)
        load_encoder("effnet").encode(video)
        sum(len(block) for block in video.sound())
    print(json.dumps({"peak": peak()}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--files", type=int, help="damaged files (default 2,000, quick 100)")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        child(arguments.child[0], Path(arguments.child[1]))
        return
    count = arguments.files or (100 if arguments.quick else 2000)
    figures: dict[str, object] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        figures["1 damaged"] = damaged_files(folder, count, arguments.workers)
        figures["2 disguised"] = disguised_files(folder)
        figures["3 frame bomb"] = frame_bomb(folder)
        figures["4 variable frame rate"] = variable_rate(folder)
        figures["12 long film"] = long_film(folder, 10.0 if arguments.quick else 60.0)
        figures["13 odd films"] = odd_films(folder)
    for name, figure in figures.items():
        print(f"{name}: {figure}")
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
