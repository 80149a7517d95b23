"""The part of METEOR's paraphrase table that captions can use: small, and without it no answer changes."""

import gzip
from pathlib import Path

import pytest

from cookscribe.evaluation import meteor, paraphrases
from cookscribe.evaluation.paraphrases import paraphrase_table, possible_words

ENTRIES = [("at the same time", "simultaneously"), ("pan", "skillet"), ("skillet", "pan"), ("pan", "pot , deep")]


def entries_of(data: bytes) -> list[tuple[str, str]]:
    lines = gzip.decompress(data).decode().split("\n")[:-1]
    return list(zip(lines[1::3], lines[2::3], strict=True))


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = tmp_path / "table.gz"
    path.write_bytes(gzip.compress("".join(f"0.5\n{left}\n{right}\n" for left, right in ENTRIES).encode()))
    return path


def test_entries_are_kept_in_order_if_all_their_words_are_said(source: Path) -> None:
    table = paraphrase_table(source)
    assert entries_of(table.entries({"pan", "skillet"})) == ENTRIES[1:3]
    assert entries_of(table.entries({"pan", "skillet", "pot", "deep"})) == ENTRIES[1:]  # a mark is always allowed
    assert entries_of(table.entries({"at", "the", "same", "time", "simultaneously"})) == ENTRIES[:1]
    assert entries_of(table.entries({"stir"})) == []


def test_the_copy_is_used_and_a_damaged_one_is_made_again(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = paraphrase_table(source)
    (copy,) = (tmp_path / "cache").rglob("*.npz")
    whole = copy.read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(paraphrases, "_compact", None)  # reading the source would fail now
        again = paraphrase_table(source)
    assert first.entries({"pan", "skillet"}) == again.entries({"pan", "skillet"})
    copy.write_bytes(whole[: len(whole) // 2])
    assert paraphrase_table(source) is not None
    assert copy.read_bytes()[: len(whole) // 2] == whole[: len(whole) // 2]


def test_without_a_place_for_the_copy_the_program_reads_its_own_table(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert paraphrase_table(source) is None


def test_words_that_the_program_may_make_of_a_caption() -> None:
    assert {"stir", "fry", "1", "2", "do", "n't", "'t", "n", "'s", "mr.", "mr"} <= possible_words(
        ["Stir-fry 1/2", "do n't 's mr."]
    )


def test_a_running_program_learns_the_paraphrases_of_new_words() -> None:
    """That no answer differs from those with the whole table is held by the golden figures in tests/real."""
    meteor.close_meteor()
    assert meteor.meteor("stir", "stir") == 1.0
    assert meteor.meteor("simultaneously", "at the same time") == pytest.approx(0.6)
    meteor.close_meteor()
