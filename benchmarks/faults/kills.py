"""Kill -9 at random moments: afterwards every file is absent or whole, and the next run leaves nothing of it behind."""

import json
import os
import shutil
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from cookscribe.seeds import generator
from faults import evaluate
from faults.cases import Case, Scale
from faults.judging import answered, left, tidy, whole
from faults.running import Broken, Running, run, start

TITLE = "kills"
ALL = "json,md,html,vtt,srt,ffmetadata,youtube,mp4,jsonld,cooklang,researcher"
VIDEOS = 8


def cases(scale: Scale) -> list[Case]:
    # Training and encoding take seconds each, so there are fewer of them.
    order = ("export", "write", "draw", "export", "write", "scores", "train", "export", "write", "watch")
    order = order[:6] if scale.quick else (*order, *order, "encode")
    if not scale.quick:
        training_data(scale.material)
    found = [
        Case(f"{name}, kill {number}", partial(_try, scale, name, number))
        for number, name in enumerate(order if scale.quick else order * 6)
    ]
    return [*found, *(Case(f"two runs of {name} at once", partial(_both, scale, name)) for name in ("write", "export"))]


def _copy(scale: Scale, folder: Path, *names: str) -> None:
    for name in names:
        shutil.copyfile(scale.material / name, folder / name)


def _write(scale: Scale, folder: Path) -> list[str]:
    _copy(scale, folder, "told.mp4", "told.vtt")
    return ["write", "told.mp4", "--formats", "json,md,html,vtt,mp4", "--out", "out"]


def _watch(scale: Scale, folder: Path) -> list[str]:
    _copy(scale, folder, "drawn.mp4")
    return ["write", "drawn.mp4", "--formats", "json,md,html", "--out", "out"]


def _export(scale: Scale, folder: Path) -> list[str]:
    _copy(scale, folder, "told.mp4", "told.recipe.json")
    return ["export", "told.recipe.json", "--formats", ALL, "--video", "told.mp4", "--out", "out"]


def _draw(scale: Scale, folder: Path) -> list[str]:
    del scale, folder
    return ["kitchen", "draw", "--out", "out/film.mp4", "--tempo", "10", "--height", "90"]


def _scores(scale: Scale, folder: Path) -> list[str]:
    del scale
    (folder / "given.json").write_text(json.dumps(evaluate.predictions()))
    (folder / "true.json").write_text(json.dumps(evaluate.truth()))
    return ["evaluate", "given.json", "--truth", "true.json", "--no-meteor", "--json", "out/scores.json"]


def _train(scale: Scale, folder: Path) -> list[str]:
    del folder
    return ["train", "proposals", "--config", str(scale.material / "training" / "run.json"), "--out", "out"]


def _encode(scale: Scale, folder: Path) -> list[str]:
    _copy(scale, folder, "drawn.mp4", "told.mp4")
    return ["encode", "drawn.mp4", "told.mp4", "--out", "out", "--workers", "1"]


WORK: dict[str, Callable[[Scale, Path], list[str]]] = {
    "write": _write,
    "watch": _watch,
    "export": _export,
    "draw": _draw,
    "scores": _scores,
    "train": _train,
    "encode": _encode,
}


def training_data(source: Path) -> None:
    """A few made-up videos and a training of seconds that saves its state after every step."""
    folder = source / "training"
    if folder.exists():
        return
    folder.mkdir()
    commands: Sequence[list[str]] = (
        ["kitchen", "recipes", "--count", str(VIDEOS), "--out", "truth.json", "--tempo", "10"],
        ["kitchen", "features", "--annotations", "truth.json", "--out", "features", "--every", "2"],
    )
    for command in commands:
        done = run(command, folder)
        if done.code:
            raise RuntimeError(done.err)
    settings = {
        "data": "truth.json",
        "features": "features",
        "captions": False,
        "development": 0.3,
        "model": {"width": 16, "feedforward": 16, "heads": 2, "queries": 5, "frames": 16},
        "training": {"epochs": 3, "batch_size": 2, "checkpoint_every": 1},
    }
    (folder / "run.json").write_text(json.dumps(settings))


def _try(scale: Scale, name: str, number: int, folder: Path) -> None:
    random = generator("kill", scale.seed, name, number)
    arguments = WORK[name](scale, folder)
    out = folder / "out"
    fresh = name == "encode"  # it starts processes of its own, and only a true process can
    for attempt in range(6):
        running = start(arguments, folder, fresh=fresh)
        # A fifth of the kills come at any time, the others while something is being written.
        if number % 5 == 0:
            time.sleep(float(random.uniform(0.0, 1.5)) / 2**attempt)
        else:
            _await_writing(running, out)
            time.sleep(float(random.choice((0.0, 0.0005, 0.003, 0.01, 0.05, 0.2))) / 2**attempt)
        ended = running.poll()
        running.kill()
        result = running.wait()
        _whole_or_absent(out)
        if not ended:
            break
        answered(result)
        shutil.rmtree(out, ignore_errors=True)
    result = run(arguments, folder, fresh=fresh, seconds=180.0)
    if not answered(result):
        raise Broken("the next run fails", result)
    left(out, None, result)
    tidy(folder, result)


def _await_writing(running: Running, out: Path) -> None:
    """Until a hidden file appears, or the run is over."""
    while not running.poll():
        try:
            if any(name.startswith(".") for _, _, names in os.walk(out) for name in names):
                return
        except OSError:
            pass
        time.sleep(0.0002)


def _whole_or_absent(out: Path) -> None:
    for place, _, names in os.walk(out):
        for name in names:
            if not name.startswith("."):
                whole(Path(place) / name)


def _both(scale: Scale, name: str, folder: Path) -> None:
    """Two runs that write the same files at once disturb neither themselves nor the result."""
    arguments = WORK[name](scale, folder)
    random: np.random.Generator = generator("two runs", scale.seed, name)
    first = start(arguments, folder)
    time.sleep(float(random.uniform(0.0, 0.1)))
    results = [run(arguments, folder), first.wait()]
    for result in results:
        if not answered(result):
            raise Broken("one of two runs at once fails", result)
    left(folder / "out", None, results[0])
    tidy(folder, results[0])
