"""Reading and writing files safely: atomic writes, bounded reads of regular files, JSON with typed errors."""

import errno
import hashlib
import json
import math
import os
import platform
import re
import secrets
import shutil
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO

from cookscribe.errors import BadFileError, MissingFileError, UnwritableError

# Far above every published annotation file; what is larger is not text that somebody meant to give.
MOST_BYTES = 256 * 2**20
# Of what describes a model: configuration, vocabulary, header of the weights.
MOST_DESCRIPTION = 8 * 2**20
# Errors that only writing gives, whatever file they name.
FULL = {errno.ENOSPC, errno.EFBIG, errno.EROFS, getattr(errno, "EDQUOT", errno.ENOSPC)}

# A temporary file is called .NAME.MACHINE-PROCESS-START-RANDOM.part.SUFFIX, so that anybody can tell whose it is.
_LEFTOVER = re.compile(r"\..*\.([0-9a-f]{8})-(\d+)-(\d+)-[0-9a-f]{8}\.part(?:\.[^.]*)?", re.DOTALL)
# Whether a process of another machine lives cannot be asked. A file that nobody touched for so long is nobody's.
_FORGOTTEN_SECONDS = 24 * 3600


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a temporary path beside `path`; on success it is synced and replaces `path`, on failure it is removed.

    A reader, or a run after a crash, sees the old file or the whole new one, never a part. The temporary name keeps the
    suffix because some writers choose their format by it. A place that cannot be written to, or that is full before all
    is written, is a typed error naming `path`. Temporary files that killed processes left in the folder are removed.
    """
    path = Path(path)
    temporary = _temporary(path)
    try:
        if path.exists() and not path.is_file():
            kind = "a folder" if path.is_dir() else "a device or a pipe"
            raise BadFileError(path, f"cannot be written: it is {kind}, not a file", "choose another name")
        path.parent.mkdir(parents=True, exist_ok=True)
        # Opening with plain permissions lets the process's umask decide, as for any other new file.
        handle = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)
        permissions = os.fstat(handle).st_mode & 0o777
        os.close(handle)
    except (OSError, ValueError) as error:  # a value error is a NUL in the name
        raise unwritable(path, error) from None
    try:
        _remove_leftovers(path.parent)
        yield temporary
        try:
            with temporary.open("rb") as written:
                os.fsync(written.fileno())
            # Some writers put a file of their own, readable by its owner only, in the place of ours.
            os.chmod(temporary, permissions)
            os.replace(temporary, path)
        except OSError as error:
            raise unwritable(path, error) from None
    except OSError as error:
        if error.errno in FULL or str(error.filename) == str(temporary):
            raise unwritable(path, error) from None
        raise
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def unwritable(subject: str | Path, error: OSError | ValueError) -> UnwritableError:
    """The error of an output that cannot be written."""
    reason = getattr(error, "strerror", None) or error
    return UnwritableError(subject, f"cannot be written: {reason}", "choose another place or make room")


def _temporary(path: Path) -> Path:
    """A new name beside `path`, no longer than a name may be."""
    suffix = path.suffix if len(os.fsencode(path.suffix)) <= 16 else ""
    process = os.getpid()
    mark = f"{_machine()}-{process}-{_started(process) or 0}-{secrets.token_hex(4)}"
    return path.with_name(f".{path.stem[:20]}.{mark}.part{suffix}")


def _remove_leftovers(folder: Path) -> None:
    """Remove the temporary files of processes that live no more; those of living ones are at work."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(".") and (made := _LEFTOVER.fullmatch(entry.name)):
                with suppress(OSError, OverflowError):
                    if _abandoned(entry, made[1], int(made[2]), int(made[3])):
                        os.unlink(entry.path)


def _abandoned(entry: os.DirEntry[str], machine: str, process: int, started: int) -> bool:
    if machine != _machine() or os.name != "posix":
        return time.time() - entry.stat(follow_symlinks=False).st_mtime > _FORGOTTEN_SECONDS
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    except PermissionError:  # it lives and is somebody else's
        return False
    # A number is given to another process some time after the death of the first.
    return started != (_started(process) or 0)


@cache
def _machine() -> str:
    """Eight letters for this machine since it was started, and for the set of processes that see each other."""
    parts = [platform.node()]
    with suppress(OSError):
        parts += [Path("/proc/sys/kernel/random/boot_id").read_text(), os.readlink("/proc/self/ns/pid")]
    return hashlib.sha256("\n".join(parts).encode("utf-8", "replace")).hexdigest()[:8]


def _started(process: int) -> int | None:
    """When a process was started, in ticks; None for a dead one, and where the system does not tell."""
    try:
        # The second field is the program's name in brackets, which may hold anything.
        state, *fields = Path(f"/proc/{process}/stat").read_text(errors="replace").rpartition(")")[2].split()
    except (OSError, ValueError):
        return None
    return None if state in "ZX" else int(fields[18])


def user_cache() -> Path:
    """Where cookscribe keeps copies that it can make again."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "cookscribe"


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file atomically."""
    with replacing(path) as temporary:
        try:
            temporary.write_bytes(data)
        except OSError as error:
            raise unwritable(path, error) from None


def write_text(path: Path, text: str) -> None:
    """Write UTF-8 text atomically."""
    write_bytes(path, text.encode("utf-8"))


def copy_file(source: Path, target: Path) -> None:
    """Copy a file's content atomically."""
    with replacing(target) as temporary:
        shutil.copyfile(source, temporary)


def write_json(path: Path, value: Any, *, indent: int | None = 1) -> None:
    """Write `value` as strict JSON (no NaN), atomically, ending in a newline."""
    write_text(path, json.dumps(value, indent=indent, ensure_ascii=False, allow_nan=False) + "\n")


@contextmanager
def regular_file(path: Path, limit: int) -> Iterator[BinaryIO]:
    """Open a regular file of at most `limit` bytes for reading.

    A pipe, a device or a folder is a typed error at once: reading it could wait for ever or never end.
    """
    path = Path(path)
    try:
        # Without waiting: opening a pipe would wait for its writer.
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except FileNotFoundError:
        raise MissingFileError(path, "no such file", "check the path") from None
    except OSError as error:
        raise BadFileError(path, f"cannot be read: {error.strerror or error}") from None
    except ValueError as error:  # a NUL in the name
        raise BadFileError(repr(str(path)), f"is not a file name: {error}") from None
    found = os.fstat(handle)
    if not stat.S_ISREG(found.st_mode):
        os.close(handle)
        folder = stat.S_ISDIR(found.st_mode)
        kind, advice = ("a folder, not a", "name the file inside it") if folder else ("a device or a pipe, not a", "")
        raise BadFileError(path, f"is {kind} regular file", advice)
    with os.fdopen(handle, "rb") as file:
        if found.st_size > limit:
            raise too_large(path, limit)
        yield file


def too_large(path: Path, limit: int) -> BadFileError:
    """The error of a file above `limit` bytes."""
    return BadFileError(path, f"is larger than {limit / 2**20:,.0f} MiB, too large for what it should be")


def read_text(path: Path, limit: int = MOST_BYTES) -> str:
    """Read UTF-8 text (a byte-order mark is dropped); a missing, unreadable or undecodable file is a typed error.

    Args:
        limit: most bytes the file may have.
    """
    with regular_file(path, limit) as file:
        try:
            data = file.read(limit + 1)
        except OSError as error:
            raise BadFileError(path, f"cannot be read: {error.strerror or error}") from None
    if len(data) > limit:  # it grew, or does not tell its size
        raise too_large(path, limit)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadFileError(path, f"is not UTF-8 text: {error.reason}") from None
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def read_json(path: Path, limit: int = MOST_BYTES) -> Any:
    """Read JSON; duplicate keys, NaN and numbers too large for a float are errors: they silently lose or spoil data."""
    return parse_json(read_text(path, limit), path)


def read_json_lines(path: Path, limit: int = MOST_BYTES) -> Iterator[tuple[int, Any]]:
    """Line number (from 1) and value of each line of a JSON Lines file; blank lines are left out."""
    for number, line in enumerate(read_text(path, limit).split("\n"), 1):
        if line.strip():
            yield number, parse_json(line, f"{path}, line {number}")


def parse_json(text: str, subject: str | Path) -> Any:
    """The value of a JSON text; `subject` is named in errors."""
    try:
        value = json.loads(
            text,
            object_pairs_hook=_unique_keys,
            parse_constant=_refuse_constant,
            parse_float=_finite_float,
            parse_int=_short_integer,
        )
        if "\\ud" in text or "\\uD" in text:
            json.dumps(value, ensure_ascii=False).encode()
    except _JsonRuleError as error:
        raise BadFileError(subject, str(error)) from None
    except json.JSONDecodeError as error:
        raise BadFileError(subject, f"is not JSON: {error.msg} at line {error.lineno}") from None
    except UnicodeEncodeError:
        raise BadFileError(subject, "contains half a surrogate pair, which is not text") from None
    except RecursionError:
        raise BadFileError(subject, "is nested too deeply to be read") from None
    return value


class _JsonRuleError(ValueError):
    pass


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise _JsonRuleError(f"the key {key!r} stands twice")
            seen.add(key)
    return result


def _refuse_constant(name: str) -> float:
    raise _JsonRuleError(f"contains {name}, which is not a number in JSON")


def _finite_float(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise _JsonRuleError(f"contains the number {text[:40]}, which is too large")
    return value


def _short_integer(text: str) -> int:
    # Python stops at 4300 digits with an error of its own, and a float holds 308.
    if len(text) > 300:
        raise _JsonRuleError(f"contains a number of {len(text)} digits")
    return int(text)
