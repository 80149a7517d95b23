"""Which films: a folder with all below it, a pattern, or a list that may say more about each."""

from __future__ import annotations

import glob
import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from cookscribe.encoders.jobs import SUFFIXES
from cookscribe.errors import BadFileError, BadValueError, MissingFileError
from cookscribe.files import parse_json
from cookscribe.text.printable import printable

LISTS = (".txt", ".jsonl")
LONGEST_LINE = 2**20  # characters
LONGEST_STEM = 80  # characters of a film's name that its files carry
_FIELDS = {"video", "title", "ingredients", "transcript"}


@dataclass(frozen=True)
class Film:
    """A film to be written about, and what its list says of it.

    Attributes:
        path: of the film; its absolute path names it through all runs.
        title, ingredients: as for `Scribe.write`.
        transcript: file of what is said; empty searches beside the film, or listens.
    """

    path: Path
    title: str = ""
    ingredients: tuple[str, ...] = ()
    transcript: str = ""

    @property
    def key(self) -> str:
        """Sixteen letters that stand for the path."""
        return hashlib.sha256(os.fsencode(self.path)).hexdigest()[:16]

    @property
    def stem(self) -> str:
        """Where its files lie: one of 4,096 folders, so that none holds too many, and a name that no other has."""
        name = printable(self.path.stem).strip()[:LONGEST_STEM].strip() or "recipe"
        return f"{self.key[:3]}/{name}-{self.key}"

    def __str__(self) -> str:
        return str(self.path)


def films_of(place: str, leave_out: Path) -> Iterator[Film]:
    """The films of a folder, a list or a pattern, one after the other: there may be more than memory holds.

    Args:
        leave_out: a folder whose films are not taken, because we write there.
    """
    path = Path(place)
    if path.is_dir():
        yield from _in_folder(path, leave_out)
    elif path.is_file() and path.suffix.lower() in LISTS:
        yield from _listed(path)
    elif path.is_file() and path.suffix.lower() in SUFFIXES:
        yield _film(path)
    elif path.exists():
        raise BadValueError(place, "is neither a folder nor a list of films", f"lists end in {' or '.join(LISTS)}")
    elif glob.has_magic(place):
        found = False
        for name in glob.iglob(place, recursive=True):
            if os.path.isfile(name):
                found = True
                yield _film(name)
        if not found:
            raise MissingFileError(place, "no film matches this pattern", "put it into quotes, and check the path")
    else:
        raise MissingFileError(place, "no such folder, list or pattern", "check the path")


def _in_folder(folder: Path, leave_out: Path) -> Iterator[Film]:
    found = False
    unwanted = Path(os.path.abspath(leave_out))
    for parent, inner, names in os.walk(os.path.abspath(folder)):
        inner[:] = sorted(name for name in inner if not name.startswith(".") and Path(parent, name) != unwanted)
        for name in sorted(names):
            if not name.startswith(".") and os.path.splitext(name)[1].lower() in SUFFIXES:
                found = True
                yield Film(Path(parent, name))
    if not found:
        raise MissingFileError(folder, "holds no film", "name a folder of films, a list or a pattern")


def _listed(path: Path) -> Iterator[Film]:
    """Films of a list, a path or a JSON object a line; relative paths start from the folder of the list."""
    base = path.absolute().parent
    try:
        with path.open(encoding="utf-8-sig") as lines:
            for number, line in enumerate(iter(lambda: lines.readline(LONGEST_LINE), ""), 1):
                if len(line) == LONGEST_LINE:
                    raise BadFileError(f"{path}, line {number}", f"has more than {LONGEST_LINE:,} characters")
                if line.strip():
                    yield _of_line(line.strip(), base, f"{path}, line {number}", path.suffix.lower() == ".jsonl")
    except UnicodeDecodeError as error:
        raise BadFileError(path, f"is not UTF-8 text: {error.reason}") from None
    except OSError as error:
        raise BadFileError(path, f"cannot be read: {error.strerror or error}") from None


def _film(path: str | Path) -> Film:
    """The film of a path, however that is spelled."""
    return Film(Path(os.path.abspath(path)))


def _of_line(line: str, base: Path, subject: str, is_json: bool) -> Film:
    if not is_json:
        return _film(base / line)
    value: Any = parse_json(line, subject)
    if not isinstance(value, dict) or not isinstance(value.get("video"), str) or not value["video"]:
        raise BadFileError(subject, "must be an object with a video", '{"video": "soup.mp4", "title": "Soup"}')
    if unknown := value.keys() - _FIELDS:
        raise BadFileError(subject, f"has unknown entries: {', '.join(sorted(unknown))}", f"known: {sorted(_FIELDS)}")
    names = value.get("ingredients", [])
    texts = [value.get("title", ""), value.get("transcript", "")]
    if not isinstance(names, list) or not all(isinstance(text, str) for text in [*names, *texts]):
        raise BadFileError(subject, "title and transcript must be texts, ingredients a list of texts")
    transcript = str(base / value["transcript"]) if value.get("transcript") else ""
    return replace(
        _film(base / value["video"]), title=value.get("title", ""), ingredients=tuple(names), transcript=transcript
    )
