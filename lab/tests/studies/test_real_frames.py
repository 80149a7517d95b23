"""The study of what is seen in stills, on made-up ones that show what their sentences name."""

import json
from pathlib import Path

from cookscribe.learning.datasets.root import YouCook2
from cookscribe.learning.writer.examples import WriterData
from cookscribe.learning.writer.run import WriterRun, read_examples, train_language_writer
from tests.command import run_command
from tests.learning.made_up_stills import write_stills
from tests.writer.small import published_folder


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


def test_sentences_of_a_writer_stand_beside_those_that_need_no_picture(tmp_path: Path) -> None:
    data = write_stills(tmp_path / "data", tmp_path / "work" / "sight-tinyvit" / "cache")
    base = str(published_folder(tmp_path / "base"))
    run = WriterRun(training={"epochs": 1}, data=WriterData(narrated=0.1, silent=0.0), precision="float32")
    train_language_writer(run, read_examples(YouCook2(data), {}), base, tmp_path / "writer", quiet=True)
    words = ("--data", data, "--out", tmp_path / "out", "--work", tmp_path / "work", "--writer", tmp_path / "writer")
    printed = run_command("study", "real-frames", *words, "--smoke", "--development")
    assert "recall@5" not in printed
    found = json.loads((tmp_path / "out" / "real-frames.json").read_text())
    rows = {row["name"]: {key: one["mean"] for key, one in row["figures"].items()} for row in found["rows"]}
    silent = {"no evidence", "position only", "nearest neighbour", "list only", "seen", "seen + list"}
    assert set(rows) == silent | {"heard", "heard + seen"}
    # The made-up writer writes nothing that can be read; a neighbour that looks the same says the same.
    assert rows["nearest neighbour"]["CIDEr-D"] > rows["no evidence"]["CIDEr-D"] > rows["seen"]["CIDEr-D"]
    assert {(pair["first"], pair["second"]) for pair in found["paired"]} >= {("seen + list", "list only")}
    assert "seen over nearest neighbour" in printed
