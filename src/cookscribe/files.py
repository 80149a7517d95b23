"""Reading and writing files safely: atomic writes, JSON with typed errors."""

from __future__ import annotations

import json
import math
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from cookscribe.errors import BadFileError, MissingFileError

# Far above every published annotation file; what is larger is not text that somebody meant to give.
MOST_BYTES = 256 * 2**20


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a temporary path beside `path`; on success it is synced and replaces `path`, on failure it is removed.

    A reader, or a run after a crash, sees the old file or the whole new one, never a part. The temporary name keeps the
    suffix because some writers choose their format by it. A place that cannot be written to is a typed error.
    """
    path = Path(path)
    # Opening with plain permissions lets the process's umask decide, as for any other new file.
    temporary = path.with_name(f".{path.stem[:40]}-{secrets.token_hex(6)}{path.suffix}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)
        permissions = os.fstat(handle).st_mode & 0o777
        os.close(handle)
    except OSError as error:
        raise _unwritable(path, error) from None
    try:
        yield temporary
        try:
            with temporary.open("rb") as written:
                os.fsync(written.fileno())
            # Some writers put a file of their own, readable by its owner only, in the place of ours.
            os.chmod(temporary, permissions)
            os.replace(temporary, path)
        except OSError as error:
            raise _unwritable(path, error) from None
    finally:
        temporary.unlink(missing_ok=True)


def _unwritable(path: Path, error: OSError) -> BadFileError:
    return BadFileError(path, f"cannot be written: {error.strerror or error}", "choose another place or make room")


def write_text(path: Path, text: str) -> None:
    """Write UTF-8 text atomically."""
    # Encoded before the file is opened: text with half a surrogate pair is the caller's mistake, not the disk's.
    data = text.encode("utf-8")
    with replacing(path) as temporary:
        try:
            temporary.write_bytes(data)
        except OSError as error:
            raise _unwritable(path, error) from None


def write_json(path: Path, value: Any, *, indent: int | None = 1) -> None:
    """Write `value` as strict JSON (no NaN), atomically, ending in a newline."""
    write_text(path, json.dumps(value, indent=indent, ensure_ascii=False, allow_nan=False) + "\n")


def read_text(path: Path, limit: int = MOST_BYTES) -> str:
    """Read UTF-8 text (a byte-order mark is dropped); a missing, unreadable or undecodable file is a typed error.

    Args:
        limit: most bytes the file may have. A pipe or a device, which may never end, is refused.
    """
    path = Path(path)
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode) and not stat.S_ISDIR(found.st_mode):
            raise BadFileError(path, "is a device or a pipe, not a regular file")
        if found.st_size > limit:
            raise BadFileError(path, f"is larger than {limit / 2**20:,.0f} MiB, too large for what it should be")
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise MissingFileError(path, "no such file", "check the path") from None
    except IsADirectoryError:
        raise BadFileError(path, "is a folder, not a file", "name the file inside it") from None
    except UnicodeDecodeError as error:
        raise BadFileError(path, f"is not UTF-8 text: {error.reason}") from None
    except OSError as error:
        raise BadFileError(path, f"cannot be read: {error.strerror or error}") from None
    except ValueError as error:  # a NUL in the name
        raise BadFileError(repr(str(path)), f"is not a file name: {error}") from None


def read_json(path: Path, limit: int = MOST_BYTES) -> Any:
    """Read JSON; duplicate keys, NaN and numbers too large for a float are errors: they silently lose or spoil data."""
    return _parse_json(read_text(path, limit), path)


def read_json_lines(path: Path, limit: int = MOST_BYTES) -> Iterator[tuple[int, Any]]:
    """Line number (from 1) and value of each line of a JSON Lines file; blank lines are left out."""
    for number, line in enumerate(read_text(path, limit).split("\n"), 1):
        if line.strip():
            yield number, _parse_json(line, f"{path}, line {number}")


def _parse_json(text: str, subject: str | Path) -> Any:
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
