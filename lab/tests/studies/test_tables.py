"""Rows to Markdown and JSON."""

import math

import pytest

from cookscribe_lab.studies.core.tables import FIGURES, Row, as_markdown, figures_of


def test_table_shows_mean_and_deviation_and_the_papers_row() -> None:
    rows = [Row("a", {"x": [1.0, 2.0, 3.0]}, {"x": 9.0, "z": 1.0}), Row("b", {"x": [5.0], "y": [2.0]}), Row("c", {})]
    assert as_markdown(rows, "simulated", ["x", "y", "z"]).splitlines() == [
        "| simulated | x | y |",
        "|---|---|---|",
        "| a | 2.00 ± 1.00 | - |",
        "| *the paper's* | *9.00* |  |",
        "| b | 5.00 | 2.00 |",
    ]


def test_row_keeps_every_value() -> None:
    row = Row("a", {"x": [1.0, 3.0], "y": []}, seeds=(0, 1))
    kept = row.as_json()["figures"]
    assert list(kept) == ["x"]
    assert kept["x"]["values"] == [1.0, 3.0]
    assert kept["x"]["mean"] == 2.0
    assert kept["x"]["deviation"] == pytest.approx(math.sqrt(2))
    assert math.isnan(row.mean("y"))


def test_figures_left_out_are_left_out() -> None:
    metrics = {"BLEU4": 1.0, "METEOR": None, "CIDEr": 2.0}
    soda = {"METEOR": None, "CIDEr": 3.0, "tIoU": 4.0}
    report = {
        "dvc_eval": {"2021": metrics},
        "soda": {"released": soda, "strict": soda | {"tIoU": 5.0}},
        "ingredients": {"f1": 6.0},
        "counts": {"mean_predicted": 7.0},
    }
    found = figures_of([report, report])
    assert set(FIGURES) - set(found) == {"dvc METEOR", "SODA METEOR", "strict METEOR"}
    assert found["SODA tIoU"] == [5.0, 5.0]
    assert found["SODA CIDEr-D"] == [3.0, 3.0]
    asked = report | {"dvc_eval": {"2021": metrics | {"METEOR": 8.0}}}
    assert figures_of([asked])["dvc METEOR"] == [8.0]
    assert "dvc METEOR" not in figures_of([asked, report])  # a mean over one of two is not the row's
