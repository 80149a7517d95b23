"""The table of the study of narrated films."""

import json
from pathlib import Path

from tests.command import run_command
from tests.learning.made_up_youcook2 import write_folder


def test_study_runs_by_its_command(tmp_path: Path) -> None:
    data = write_folder(tmp_path / "data", training=26, validation=4)
    run_command("study", "narrated", "--data", data, "--out", tmp_path, "--smoke")
    table = (tmp_path / "narrated.md").read_text()
    ours = ("ours, heard events, no list", "ours, published events, shuffled list")
    for row in ("PDVC, published events", "nearest neighbour, heard events", *ours):
        assert f"| {row} |" in table
    assert "paper: BIVT" in table
    for row in ("8 equal segments", "heard", "published"):
        assert f"\n| {row} |" in table, "the events alone"
    report = json.loads((tmp_path / "reports" / "PDVC-published.json").read_text())
    assert 0 < report["all"]["distinct"] <= 100
