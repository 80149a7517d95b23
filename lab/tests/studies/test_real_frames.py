"""The study of what is seen in stills, on made-up ones that show what their sentences name."""

import json
from pathlib import Path

from tests.command import run_command
from tests.learning.made_up_stills import write_stills


def test_stills_that_show_their_sentence_are_judged_far_above_chance(tmp_path: Path) -> None:
    data = write_stills(tmp_path / "data", tmp_path / "work" / "sight-tinyvit" / "cache")
    printed = run_command(
        "study", "real-frames", "--data", data, "--out", tmp_path / "out", "--work", tmp_path / "work", "--smoke"
    )
    assert "smoke run" in printed
    rows = {
        row["name"]: row["figures"] for row in json.loads((tmp_path / "out" / "real-frames.json").read_text())["rows"]
    }
    recall, listed = (next(key for key in rows["tinyvit"] if key.startswith(name)) for name in ("recall", "list AP, j"))
    assert rows["tinyvit"][recall]["mean"] > 2 * rows["chance"][recall]["mean"]
    assert rows["tinyvit"][listed]["mean"] > rows["frequency of use"][listed]["mean"] > 0
