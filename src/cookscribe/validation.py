"""Published JSON files read into checked shapes: a wrong file is one typed error that names the place."""

import csv
import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from cookscribe.config import explain
from cookscribe.errors import BadFileError
from cookscribe.files import read_json, read_text

Shape = TypeVar("Shape")

Seconds = Annotated[float, Field(ge=0.0)]
Segment = Annotated[list[Seconds], Field(min_length=2, max_length=2)]


class Published(BaseModel):
    """Base of the shapes. Strict (a number in quotes is not a number), but keys nobody needs are let pass."""

    model_config = ConfigDict(strict=True, extra="ignore", allow_inf_nan=False, frozen=True)


def checked_json(path: Path, shape: TypeAdapter[Shape], expected: str) -> Shape:
    """Read `path` as `shape`. `expected` says in plain words what the file should be, for the error."""
    return checked(read_json(path), shape, path, expected)


def checked(value: Any, shape: TypeAdapter[Shape], subject: str | Path, expected: str) -> Shape:
    """Validate `value` as `shape`; a wrong one raises `BadFileError` naming `subject` and the place in it."""
    try:
        return shape.validate_python(value)
    except ValidationError as error:
        raise BadFileError(subject, f"is not {expected}: {explain(error)}", "see docs/data.md for the format") from None


def bare_ids(keys: Iterable[str], path: str | Path = "videos") -> dict[str, str]:
    """Map each key of an ActivityNet-style file to the bare video id.

    Such files put `v_` before every id. It is taken off only when every key has it, because a YouTube id may begin with
    `v_` itself; YouCook2 has one.
    """
    keys = list(keys)
    prefixed = all(key.startswith("v_") for key in keys)
    ids = {key: key[2:] if prefixed else key for key in keys}
    if not all(ids.values()):
        raise BadFileError(path, "holds a video without an id")
    return ids


def csv_rows(path: Path, width: int) -> Iterator[tuple[int, list[str]]]:
    """Line number (from 1) and fields of a file without a header whose lines all have `width` columns."""
    for number, row in enumerate(csv.reader(io.StringIO(read_text(path))), 1):
        if row and len(row) != width:
            raise BadFileError(path, f"line {number} has {len(row)} columns, expected {width}")
        if row:
            yield number, row
