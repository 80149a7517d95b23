"""What the program promises about every run, and how a broken promise is recognised."""

import json
import os
import unicodedata
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

import av

from faults.running import MEMORY, Broken, Result, aside

# Notes that undamaged films get too.
USUAL_NOTES = (
    "the evidence is weak",
    "no ingredients were given",
    "this model has only seen",
    "the words have no times",
    "no recipe was found",
    "the model has never read",
)
# They turn the direction of what follows, so that a name can show as another one.
BIDI = {*range(0x202A, 0x202F), *range(0x2066, 0x206A)}


def answered(result: Result, codes: Collection[int] = (0, 2), memory: float = MEMORY) -> bool:
    """Check that a run ended with an answer or a typed error; True for an answer."""
    if result.hung:
        raise Broken(f"hangs: no end after {result.seconds:.0f} s", result)
    if result.code < 0:
        raise Broken(f"ended by signal {-result.code}", result)
    if "Traceback (most recent call last)" in result.err or "Exception ignored in" in result.err:
        raise Broken("traceback", result)
    if result.code not in codes:
        raise Broken(f"exit code {result.code}", result)
    if result.code and not typed(result):
        raise Broken("an error, but not a typed one", result)
    if result.grown > memory:
        raise Broken(f"took {result.grown:.0f} MB of memory", result)
    printable(result.out + result.err, "the terminal", result)
    return result.code == 0


def typed(result: Result) -> bool:
    """Whether standard error holds a line of ours, or the command line's own usage error."""
    return any(line.startswith(("cookscribe:", "Error:", "Usage:")) for line in result.err.splitlines())


def refused(result: Result, *words: str, memory: float = MEMORY) -> None:
    """Check that a run ended with a typed error that holds all `words`."""
    if answered(result, memory=memory):
        raise Broken("taken for good", result)
    for word in words:
        if word not in result.err:
            raise Broken(f"the error does not say {word!r}", result)


def printable(text: str, where: str, result: Result | None = None, allowed: str = "\n") -> None:
    """Check that no control character, half surrogate or turn of direction is in `text`."""
    for letter in set(text) - set(allowed):
        if unicodedata.category(letter) in {"Cc", "Cs"} or ord(letter) in BIDI:
            raise Broken(f"{where} shows the control character U+{ord(letter):04X}", result)


def read_strictly(path: Path, result: Result | None = None) -> Any:
    """A JSON document without NaN, of clean text."""

    def refuse(name: str) -> float:
        raise ValueError(name)

    try:
        value = json.loads(path.read_text(encoding="utf-8"), parse_constant=refuse)
    except ValueError as error:
        raise Broken(f"{path.name} is not JSON: {error}", result) from None
    for text in _texts(value):
        printable(text, path.name, result)
    return value


def _texts(value: Any) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, part in value.items():
            yield key
            yield from _texts(part)
    elif isinstance(value, list):
        for part in value:
            yield from _texts(part)


def whole(path: Path, result: Result | None = None) -> None:
    """Check that a file the program wrote is complete."""
    data = path.read_bytes()
    ending = path.suffix
    if not data and ending != ".srt":  # without steps there are no cues
        raise Broken(f"{path.name} is empty", result)
    if ending in {".json", ".jsonld"}:
        read_strictly(path, result)
    elif ending == ".html" and not data.rstrip().endswith(b"</html>"):
        raise Broken(f"{path.name} is half a page", result)
    elif ending == ".jpg" and not data.endswith(b"\xff\xd9"):
        raise Broken(f"{path.name} is half a picture", result)
    elif ending == ".vtt" and not data.startswith(b"WEBVTT"):
        raise Broken(f"{path.name} is no WebVTT", result)
    elif ending == ".mp4":
        if not aside(lambda: _frames(path)):
            raise Broken(f"{path.name} is half a film", result)
    elif ending == ".safetensors":
        from safetensors import SafetensorError, safe_open

        try:
            with safe_open(path, "pt") as tensors:
                for name in tensors.keys():  # noqa: SIM118 - it is no mapping
                    tensors.get_tensor(name)
        except SafetensorError as error:
            raise Broken(f"{path.name} is cut short: {error}", result) from None


def _frames(path: Path) -> int:
    with av.open(str(path)) as container:
        return sum(1 for _ in container.decode(video=0))


def files_below(folder: Path) -> set[str]:
    """Relative paths of all files in a folder, whatever their names."""
    return {os.path.relpath(os.path.join(place, name), folder) for place, _, names in os.walk(folder) for name in names}


def left(folder: Path, expected: Collection[str] | None, result: Result | None = None) -> None:
    """Check that `folder` holds the expected files only (None: any but hidden ones), and that each is whole."""
    for name in sorted(files_below(folder)) if folder.exists() else ():
        hidden = any(part.startswith(".") for part in Path(name).parts)
        if name not in expected if expected is not None else hidden:
            raise Broken(f"leaves {name!a} behind", result)
        whole(folder / name, result)


def tidy(folder: Path, result: Result | None = None) -> None:
    """Check that nothing was left in the case's TMPDIR, and nothing but our own cache in its HOME."""
    for place in (folder / ".tmpdir", folder / ".home"):
        strange = [n for n in files_below(place) if not n.startswith(os.path.join(".cache", "cookscribe"))]
        if strange:
            raise Broken(f"leaves {sorted(strange)[0]!a} in {place.name[1:].upper()}", result)


def damage_notes(recipe: dict[str, Any]) -> list[str]:
    """Those warnings of a recipe that an undamaged film would not get."""
    return [note for note in recipe.get("warnings", ()) if not note.startswith(USUAL_NOTES)]
