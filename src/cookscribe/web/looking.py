"""Looking into films, in a process of its own: whatever a film does to its reader, the server goes on.

    python -m cookscribe.web.looking probe FILM POSTER   what it is, as JSON, and a picture of it
    python -m cookscribe.web.looking pictures FILM A.jpg=3.5 B.jpg=8 ...
    python -m cookscribe.web.looking chapters FILM RECIPE.json OUT.mp4

The last line of what it prints is a JSON object: {"info": ...} or {"error": {"kind", "subject", "cause", "advice"}}.
"""

import json
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from cookscribe import errors
from cookscribe.errors import BadFileError, CookscribeError
from cookscribe.files import write_bytes
from cookscribe.recipe import Recipe

PATIENCE = 120.0  # seconds
_TURNS = threading.Semaphore(2)


def probe_film(film: Path, poster: Path) -> dict[str, Any]:
    """What a film is (the fields of `VideoInfo`), and a picture of it; a file that is none raises `BadFileError`."""
    found: dict[str, Any] = _run("probe", film, poster)["info"]
    return found


def take_pictures(film: Path, pictures: Mapping[Path, float]) -> None:
    """Write JPEGs of moments (in seconds); a moment that cannot be read gets an empty file."""
    if pictures:
        _run("pictures", film, *(f"{path}={seconds}" for path, seconds in pictures.items()))


def write_chapters(film: Path, recipe: Path, target: Path) -> None:
    """Copy a film with the recipe's steps as chapters inside."""
    _run("chapters", film, recipe, target)


def _run(*arguments: str | Path) -> dict[str, Any]:
    """Run this module as a program and read its last line."""
    command = [sys.executable, "-m", "cookscribe.web.looking", *map(str, arguments)]
    film = Path(str(arguments[1]))
    with _TURNS:
        try:
            done = subprocess.run(command, capture_output=True, timeout=PATIENCE, check=False, stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            raise BadFileError(film, f"could not be read within {PATIENCE:.0f} s", "it may be damaged") from None
    try:
        found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    except (IndexError, ValueError):
        raise BadFileError(film, "the program that reads films died over it", "it may be damaged") from None
    if error := found.get("error"):
        kind = getattr(errors, error.pop("kind"), CookscribeError)
        raise kind(**error)
    return found


def jpegs(film: Path, pictures: Mapping[Path, float]) -> None:
    """Take pictures in this process."""
    from cookscribe.export.pictures import jpeg
    from cookscribe.video import VideoFile

    opened = VideoFile(film)
    for path, seconds in pictures.items():
        write_bytes(path, jpeg(opened, seconds) or b"")


def _main(arguments: Sequence[str]) -> dict[str, Any]:
    what, film, *more = arguments
    if what == "probe":
        from cookscribe.video import probe

        info = probe(film)
        with suppress(CookscribeError):
            jpegs(Path(film), {Path(more[0]): info.readable / 3})
        return {"info": info.model_dump(mode="json")}
    if what == "pictures":
        pairs = (pair.rpartition("=") for pair in more)
        jpegs(Path(film), {Path(path): float(seconds) for path, _, seconds in pairs})
    elif what == "chapters":
        from cookscribe.export.chapters import embed_chapters

        embed_chapters(Recipe.load(Path(more[0])), Path(film), Path(more[1]))
    return {}


if __name__ == "__main__":
    try:
        told = _main(sys.argv[1:])
    except CookscribeError as problem:
        told = {"error": {"kind": type(problem).__name__, **vars(problem)}}
    print(json.dumps(told))
