"""The main table: trains what is missing, keeps what is there, and says mean and deviation."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cookscribe.files import read_json
from cookscribe.studies.main_table import MainTable, Row, as_markdown, main_table
from tests.training.story_kitchen import write_kitchen


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """The same made-up films play training and validation; what matters here is the bookkeeping."""
    story = read_json(write_kitchen(tmp_path, videos=12))
    story["training"] = {"epochs": 1, "batch_size": 6}
    path = tmp_path / "study.json"
    path.write_text(
        json.dumps(
            {
                "story": story,
                "validation": "candidates.json",
                "truth": "truth.json",
                "presets": ["small-b", "small-bi"],
                "seeds": [0, 1],
                "meteor": False,
            }
        )
    )
    return path


def test_it_trains_scores_and_goes_on(study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table, out = MainTable.load(study), tmp_path / "out"
    rows = main_table(table, tmp_path, out)
    assert [row.name for row in rows] == [
        "PDVC", "PDVC without repetitions", "nearest neighbour", "small-b", "small-bi",
    ]  # fmt: skip
    assert all(len(row.figures["SODA tIoU"]) == 2 for row in rows[-2:])
    # The films remember themselves here, so their nearest neighbours are exact.
    assert rows[2].figures["SODA CIDEr-D"][0] > rows[3].figures["SODA CIDEr-D"][0]
    assert (out / "small-bi" / "seed-1" / "predictions.json").is_file()

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("trained again")

    monkeypatch.setattr("cookscribe.studies.main_table.train_story", refuse)
    assert main_table(table, tmp_path, out) == rows


def test_table_shows_mean_and_deviation() -> None:
    rows = [Row("a", {"x": [1.0, 2.0, 3.0]}), Row("b", {"x": [5.0]}), Row("c", {})]
    assert as_markdown(rows, ["x"]).splitlines() == [
        "| model | x |",
        "|---|---|",
        "| a | 2.00 ± 1.00 |",
        "| b | 5.00 |",
        "| c | - |",
    ]
