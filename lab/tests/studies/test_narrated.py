"""The table of the study of narrated films."""

import json
from pathlib import Path

from cookscribe.learning.datasets.root import YouCook2
from cookscribe.learning.writer.examples import WriterData
from cookscribe.learning.writer.run import WriterRun, read_examples, train_language_writer
from tests.command import run_command
from tests.learning.made_up_youcook2 import write_folder
from tests.writer.small import published_folder


def test_study_runs_by_its_command(tmp_path: Path) -> None:
    data = write_folder(tmp_path / "data", training=26, validation=4)
    base = str(published_folder(tmp_path / "base"))
    run = WriterRun(training={"epochs": 1}, data=WriterData(narrated=0.2, silent=0.0), precision="float32")
    examples = read_examples(YouCook2(data), {})
    train_language_writer(run, examples, base, tmp_path / "models" / "writer-0", quiet=True)
    run_command("study", "narrated", "--data", data, "--out", tmp_path, "--smoke")
    table = (tmp_path / "narrated.md").read_text()
    ours = ("ours, heard events, no list", "ours, published events, shuffled list")
    language = ("language model, heard events, no list", "language model, published events, ingredient list")
    for row in (*language, "PDVC, published events", "nearest neighbour, heard events", *ours):
        assert f"| {row} |" in table
    assert "paper: BIVT" in table
    for row in ("8 equal segments", "heard", "published"):
        assert f"\n| {row} |" in table, "the events alone"
    assert "language model minus recipe model" in table
    report = json.loads((tmp_path / "reports" / "PDVC-published.json").read_text())
    assert 0 < report["all"]["distinct"] <= 100
