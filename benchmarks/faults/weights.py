"""Weights of the encoders that are damaged or none: a typed error, and never a recipe made with wrong weights."""

import os
import pickle
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

from cookscribe.encoders.weights import locate, named
from cookscribe.seeds import generator
from faults import material
from faults.cases import Case, Scale
from faults.judging import answered, left, tidy
from faults.running import Broken, run
from harmful import Harmful

TITLE = "weights"


def cases(scale: Scale) -> list[Case]:
    found = [
        Case(f"{name} that {kind}", partial(_try, scale, name, kind))
        for name in ("effnet", "whisper")
        for kind in KINDS
        if not (scale.quick and name == "whisper")
    ]
    return scale.some(found, 3)


def _cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def _changed(path: Path) -> None:
    data = bytearray(path.read_bytes())
    for place in generator("weights").integers(0, len(data), 20):
        data[place] ^= 0xFF
    path.write_bytes(data)


def _replaced(by: Callable[[Path], object]) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        path.unlink()
        by(path)

    return change


# What stands in the place of the first file, and whether the program may pass over it and use the installed weights.
KINDS: dict[str, tuple[Callable[[Path], object], bool]] = {
    "are whole": (lambda path: None, True),  # noqa: ARG005
    "are cut short": (_cut, False),
    "have bytes changed": (_changed, False),
    "are empty": (lambda path: path.write_bytes(b""), False),
    "are a pipe": (_replaced(os.mkfifo), True),
    "would run code": (_replaced(lambda path: path.write_bytes(pickle.dumps(Harmful(path.parents[2] / "ran")))), False),
    "are an endless device": (_replaced(lambda path: path.symlink_to("/dev/zero")), True),
    "are a folder": (_replaced(lambda path: path.mkdir()), True),
    "lead to themselves": (_replaced(lambda path: path.symlink_to(path.name)), True),
    "are text": (lambda path: path.write_text("not found"), False),
}


def _try(scale: Scale, name: str, kind: str, folder: Path) -> None:
    change, may_pass = KINDS[kind]
    place = folder / "weights" / name
    place.mkdir(parents=True)
    original = locate(name)
    for file in named(name).files:
        shutil.copyfile(original.file(file), place / file)
    change(place / next(iter(named(name).files)))
    film = folder / "film.mp4"
    shutil.copyfile(material.film(scale.material, "mp4"), film)
    model = "kitchen" if name == "effnet" else "auto"
    arguments = ["write", film.name, "--model", model, "--formats", "json", "--out", "out"]
    result = run(arguments, folder, env={"COOKSCRIBE_WEIGHTS": str(folder / "weights")})
    if (folder / "ran").exists():
        raise Broken("code from a weight file was run", result)
    if answered(result):
        if not may_pass:
            raise Broken("a recipe was made with damaged weights", result)
        left(folder / "out", None, result)
    elif kind == "are whole":
        raise Broken("weights as published are refused", result)
    else:
        left(folder / "out", (), result)
    # Listening may leave traces of its own, which `traffic` looks for.
    if name == "effnet":
        tidy(folder, result)
