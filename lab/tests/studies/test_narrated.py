"""The tables of the study of narrated films."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from cookscribe.bundle import find_bundle
from cookscribe.errors import BadValueError
from cookscribe.learning.datasets.root import YouCook2
from cookscribe.learning.writer.examples import WriterData
from cookscribe.learning.writer.run import WriterRun, read_examples, train_language_writer
from cookscribe.model_folder import read_tensors, write_tensors
from tests.command import run_command
from tests.learning.made_up_youcook2 import write_folder
from tests.writer.small import published_folder


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_folder(tmp_path_factory.mktemp("youcook2"), training=26, validation=4)


def test_study_runs_by_its_command(data: Path, tmp_path: Path) -> None:
    base = str(published_folder(tmp_path / "base"))
    run = WriterRun(training={"epochs": 1}, data=WriterData(narrated=0.2, silent=0.0), precision="float32")
    examples = read_examples(YouCook2(data), {})
    train_language_writer(run, examples, base, tmp_path / "models" / "writer-0", quiet=True)
    ours = ("ours, heard events, no list", "ours, published events, shuffled list")
    language = ("language model, heard events, no list", "language model, published events, ingredient list")
    command = ("study", "narrated", "--data", data, "--out", tmp_path, "--smoke")
    run_command(*command, "--only", language[0])
    table = (tmp_path / "narrated.md").read_text()
    assert f"| {ours[0]} |" in table, "its drafts come from this row, which is finished, too"
    assert "language model minus recipe model" in table
    assert f"| {ours[1]} |" not in table
    run_command(*command)
    table = (tmp_path / "narrated.md").read_text()
    for row in (*language, "PDVC, published events", "nearest neighbour, heard events", *ours):
        assert f"| {row} |" in table
    assert "paper: BIVT" in table
    for row in ("8 equal segments", "heard", "published"):
        assert f"\n| {row} |" in table, "the events alone"
    assert "language model minus recipe model" in table
    report = json.loads((tmp_path / "reports" / "PDVC-published.json").read_text())
    assert 0 < report["all"]["distinct"] <= 100


def test_a_bundle_is_judged_as_it_is(data: Path, tmp_path: Path) -> None:
    row = "ours, heard events, no list"
    command = ("study", "narrated", "--data", data, "--out", tmp_path, "--smoke", "--bundle", "youcook2-speech")
    run_command(*command, "--development", "--only", row)
    (judged,) = tmp_path.glob("youcook2-speech-*")
    apart = judged / "development"
    table = (apart / "narrated.md").read_text()
    assert table.startswith("2 videos"), "8 % of the 26 training videos"
    assert f"| {row} |" in table
    assert "published" not in table, "there are no published candidates of training videos"
    assert "nearest neighbour" not in table, "only what was asked for"
    assert not (tmp_path / "models").exists(), "nothing is trained"
    run_command(*command, "--only", "PDVC, published events")
    assert "| PDVC, published events |" in (judged / "narrated.md").read_text()
    assert f"| {row} |" not in (judged / "narrated.md").read_text(), "that row is of other videos"
    run_command(*command, "--development", "--only", "nearest neighbour, heard events")
    assert f"| {row} |" in (apart / "narrated.md").read_text(), "a row that is finished is shown"


def test_rows_of_another_bundle_are_not_taken_for_this_one(data: Path, tmp_path: Path) -> None:
    command = ("study", "narrated", "--data", data, "--out", tmp_path, "--smoke", "--only", "PDVC, published events")
    shipped = find_bundle("youcook2-speech").folder
    run_command(*command, "--bundle", shipped)
    other = tmp_path / "other"
    shutil.copytree(shipped, other)
    weights, header = read_tensors(other / "story" / "weights.safetensors")
    weights["output.linear.bias"] = weights["output.linear.bias"] + 1
    write_tensors(other / "story" / "weights.safetensors", weights, header)
    run_command(*command, "--bundle", other)
    assert len(list(tmp_path.glob("youcook2-speech-*/narrated.md"))) == 2


def test_bundles_of_several_trainings_are_rows_of_one_table(data: Path, tmp_path: Path) -> None:
    row = "ours, heard events, no list"
    command = ("study", "narrated", "--data", data, "--out", tmp_path, "--smoke", "--only", row)
    shipped, other = find_bundle("youcook2-speech").folder, tmp_path / "other"
    shutil.copytree(shipped, other)
    weights, header = read_tensors(other / "story" / "weights.safetensors")
    weights["output.linear.weight"] = -weights["output.linear.weight"]
    write_tensors(other / "story" / "weights.safetensors", weights, header)
    run_command(*command, "--bundle", shipped, "--bundle", other)
    single = []
    for path in tmp_path.glob(f"youcook2-speech-*/reports/{row.replace(' ', '-').replace(',', '')}-seed-0.json"):
        single.append(json.loads(path.read_text())["all"]["soda"]["released"]["CIDEr"])
    assert len(set(single)) == 2, "each has a report of its own"
    # Once for all videos, once for those whose words have times.
    line = next(line for line in (tmp_path / "narrated.md").read_text().splitlines() if line.startswith(f"| {row} |"))
    assert f"{np.mean(single):.2f} ± {np.std(single, ddof=1):.2f}" in line


def test_only_a_speech_bundle_is_judged(data: Path, tmp_path: Path) -> None:
    with pytest.raises(BadValueError, match="is a sight bundle"):
        run_command("study", "narrated", "--data", data, "--out", tmp_path, "--bundle", "youcook2-sight")


def test_a_row_that_there_is_not_is_an_error(data: Path, tmp_path: Path) -> None:
    command = ("study", "narrated", "--data", data, "--out", tmp_path, "--smoke", "--bundle", "youcook2-speech")
    with pytest.raises(BadValueError, match=r"--only PDVC: no such row .*there are: PDVC, its own ranking"):
        run_command(*command, "--only", "PDVC")
