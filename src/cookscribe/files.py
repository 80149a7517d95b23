"""Reading and writing files safely: atomic writes, JSON with typed errors."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from cookscribe.errors import BadFileError, MissingFileError


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a temporary path beside `path`; on success it is synced and replaces `path`, on failure it is removed.

    A reader, or a run after a crash, sees the old file or the whole new one, never a part. The temporary name keeps the
    suffix because some writers choose their format by it.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.stem}-", suffix=path.suffix, dir=path.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        with temporary.open("rb") as written:
            os.fsync(written.fileno())
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def write_text(path: Path, text: str) -> None:
    """Write UTF-8 text atomically."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def write_json(path: Path, value: Any, *, indent: int | None = 1) -> None:
    """Write `value` as strict JSON (no NaN), atomically, ending in a newline."""
    write_text(path, json.dumps(value, indent=indent, ensure_ascii=False, allow_nan=False) + "\n")


def read_text(path: Path) -> str:
    """Read UTF-8 text; a missing, unreadable or undecodable file is a typed error."""
    path = Path(path)
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise MissingFileError(path, "no such file", "check the path") from None
    except IsADirectoryError:
        raise BadFileError(path, "is a folder, not a file", "name the file inside it") from None
    except UnicodeDecodeError as error:
        raise BadFileError(path, f"is not UTF-8 text: {error.reason}") from None
    except OSError as error:
        raise BadFileError(path, f"cannot be read: {error.strerror or error}") from None


def read_json(path: Path) -> Any:
    """Read JSON; duplicate keys and NaN are errors, because both silently lose or spoil data."""
    text = read_text(path)
    try:
        return json.loads(text, object_pairs_hook=_unique_keys, parse_constant=_refuse_constant)
    except _JsonRuleError as error:
        raise BadFileError(path, str(error)) from None
    except json.JSONDecodeError as error:
        raise BadFileError(path, f"is not JSON: {error.msg} at line {error.lineno}") from None
    except RecursionError:
        raise BadFileError(path, "is nested too deeply to be read") from None


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
