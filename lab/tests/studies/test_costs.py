"""Costs in the paper's unit come out to the digit it prints, and follow the layers."""

from cookscribe.model.presets import preset
from cookscribe_lab.studies.paper.costs import linear_macs

from .conftest import Bench


def test_the_base_model_needs_what_the_paper_prints() -> None:
    found = linear_macs(preset("paper-b"), events=100, ingredients=0, steps=20, tokens=22)
    assert round(found / 1e9, 2) == 37.21
    # Only the word output reads the width of the vocabulary, once for each token.
    wider = linear_macs(preset("paper-b", vocabulary_size=996), events=100, ingredients=0, steps=20, tokens=22)
    assert wider - found == 20 * 22 * 768


def test_what_each_part_adds() -> None:
    macs = {letters: linear_macs(preset(f"paper-{letters}"), 100, 10, 20, 22) for letters in ("b", "bi", "biv", "bivt")}
    square = 768 * 768
    rows_more = 20 * 2 * 2 * 12 * 10 * square  # ten rows in two transformers of two layers
    assert macs["bi"] - macs["b"] == rows_more + 20 * 2 * 10 * (300 * 768 + square)
    assert macs["biv"] - macs["bi"] == 20 * 3 * (384 + 10 + 101) * square
    assert macs["bivt"] - macs["biv"] == 20 * 22 * 2 * square


def test_study_runs_by_its_command(bench: Bench) -> None:
    text = bench.run("costs")
    assert [row["name"] for row in bench.content("costs")["rows"]] == [
        "B",
        "BI",
        "BIV",
        "BIVT",
        "PDVC",
        "PDVC comparable",
    ]
    assert "*78.650*" in text
