"""Differences paired over videos: what is better is called so, what is the same is not."""

from pathlib import Path

import numpy as np

from cookscribe.evaluation.events import Events
from cookscribe_lab.studies.core.paired import compared
from cookscribe_lab.studies.core.tables import Row, as_markdown
from cookscribe_lab.studies.core.variants import Scored, write_recipes

SENTENCES = ("chop the onion", "fry the egg in a pan", "boil the rice", "bake the bread")


def told(path: Path, right: float) -> Scored:
    """Recipes of 40 videos, a share of which is told right."""
    spans = np.array([[0.0, 10.0], [20.0, 30.0]])
    found = {}
    for n in range(40):
        true = n < 40 * right
        texts = tuple(SENTENCES[(n + k) % 4] if true else "stir" for k in range(2))
        found[f"v{n:02d}"] = Events(spans if true else spans + 6.0, texts)
    write_recipes(path, found)
    return Scored({}, path)


def test_a_better_row_is_called_better_and_an_equal_one_is_not(tmp_path: Path) -> None:
    truth = told(tmp_path / "truth.json", 1.0).recipes
    rows = {
        "good": [told(tmp_path / "good.json", 0.9)],
        "also": [told(tmp_path / "also.json", 0.9)],
        "bad": [told(tmp_path / "bad-1.json", 0.2), told(tmp_path / "bad-2.json", 0.3)],
        "missing": [],
    }
    text, figures = compared(truth, rows, [("good", "bad"), ("good", "also"), ("bad", "good"), ("good", "missing")])
    lines = [line for line in text.splitlines() if line.startswith("| ") and " over " in line]
    verdicts = [line.split(" | ")[1].rpartition(": ")[2] for line in lines]
    assert verdicts == ["yes", "not certain", "worse"]
    assert [(one["first"], one["second"]) for one in figures[::2]] == [
        ("good", "bad"),
        ("good", "also"),
        ("bad", "good"),
    ]
    assert figures[2]["mean"] == 0.0
    assert compared(truth, rows, [("good", "missing")]) == ("", [])


def test_a_row_that_only_the_paper_has_stands_alone() -> None:
    rows = [Row("B", {"SODA tIoU": [33.0]}), Row("PDVC as reported", {}, {"SODA tIoU": 27.8})]
    lines = as_markdown(rows, "features", ("SODA tIoU",)).splitlines()
    assert lines[2:] == ["| B | 33.00 |", "| *PDVC as reported, the paper's* | *27.80* |"]
