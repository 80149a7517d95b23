"""One table of all recipes: JSON lines in parts of ten thousand, and the same as Parquet where it is asked for.

A million recipes are useless as a million files. Readers of tables (pandas, polars, DuckDB, Spark, Ray) take the folder
as one table. A part only grows at its end; what a killed run wrote after its last entry in the manifest is cut off.
"""

from __future__ import annotations

import importlib.util
import json
import os
from pathlib import Path
from typing import Any, BinaryIO

from cookscribe.batch.films import Film
from cookscribe.batch.manifest import Place
from cookscribe.errors import MissingDependencyError
from cookscribe.files import replacing, unwritable
from cookscribe.recipe import Recipe

PART_ROWS = 10_000


def table_row(film: Film, recipe: Recipe) -> dict[str, Any]:
    """What the table says of a recipe: all of it but the evidence, which is in its own file (`--formats json`)."""
    return {
        "key": film.key,
        "path": str(film.path),
        "title": recipe.title,
        "duration": recipe.video.duration,
        "ingredients": list(recipe.ingredients),
        "steps": [
            {
                "start": step.span.start,
                "end": step.span.end,
                "sentence": step.sentence,
                "confidence": step.confidence,
                "ingredients": list(step.ingredients),
                "actions": list(step.actions),
            }
            for step in recipe.steps
        ],
        "model": recipe.made_by.model,
        "version": recipe.made_by.version,
        "simulated": recipe.made_by.simulated,
        "warnings": list(recipe.warnings),
    }


class RecipeTable:
    """The table of a job, open for adding.

    Args:
        folder: of the parts.
        end: where the table ends, as the manifest says; what a killed run added after it is cut off.
    """

    def __init__(self, folder: Path, end: Place) -> None:
        self.folder, self.end = folder, end
        self._file: BinaryIO | None = None

    def path(self, part: int) -> Path:
        """The file of a part."""
        return self.folder / f"recipes-{part:05}.jsonl"

    def size(self, part: int) -> int:
        """Bytes of a part on the disk."""
        return self.path(part).stat().st_size if self.path(part).is_file() else 0

    def add(self, row: dict[str, Any]) -> Place:
        """Add a recipe; returns where the table ends now."""
        line = (json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n").encode()
        part, rows, size = self.end.part, self.end.rows, self.end.bytes
        if rows >= PART_ROWS:
            self.close()
            part, rows, size = part + 1, 0, 0
        try:
            if self._file is None:
                self.folder.mkdir(parents=True, exist_ok=True)
                self._file = self.path(part).open("ab")
                self._file.truncate(size)
            self._file.write(line)
            self._file.flush()
        except OSError as error:
            raise unwritable(self.path(part), error) from None
        self.end = Place(part, rows + 1, size + len(line))
        return self.end

    def close(self) -> None:
        """Bring the open part to the disk."""
        if self._file is not None:
            os.fsync(self._file.fileno())
            self._file.close()
            self._file = None


def check_parquet() -> None:
    """A typed error where Parquet cannot be written."""
    if importlib.util.find_spec("pyarrow") is None:
        raise MissingDependencyError("--parquet", "pyarrow is not installed", "pip install pyarrow")


def write_parquet(table: RecipeTable) -> list[Path]:
    """Write the parts that have no Parquet file, or a shorter one; returns the files."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = _schema(pa)
    written = []
    for part in range(table.end.part + 1):
        target = table.path(part).with_suffix(".parquet")
        whole = part < table.end.part
        if not table.size(part) or (whole and target.is_file() and pq.read_metadata(target).num_rows == PART_ROWS):
            continue
        size = None if whole else table.end.bytes
        with table.path(part).open("rb") as file:
            rows = [json.loads(line) for line in file.read(size).splitlines()]
        with replacing(target) as temporary:
            pq.write_table(pa.Table.from_pylist(rows, schema=schema), temporary, compression="zstd")
        written.append(target)
    return written


def _schema(pa: Any) -> Any:
    texts = pa.list_(pa.string())
    step = [("start", pa.float64()), ("end", pa.float64()), ("sentence", pa.string()), ("confidence", pa.float64())]
    names = [("ingredients", texts), ("actions", texts)]
    return pa.schema(
        [
            ("key", pa.string()),
            ("path", pa.string()),
            ("title", pa.string()),
            ("duration", pa.float64()),
            ("ingredients", texts),
            ("steps", pa.list_(pa.struct(step + names))),
            ("model", pa.string()),
            ("version", pa.string()),
            ("simulated", pa.bool_()),
            ("warnings", texts),
        ]
    )
