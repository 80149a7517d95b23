"""The main table and the studies that read the recipes it kept."""

import dataclasses
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from cookscribe.errors import BadValueError, InputError
from cookscribe.evaluation import Events, evaluate, read_predictions
from cookscribe.learning.datasets.root import YouCook2
from cookscribe_lab.studies.core.variants import VariantRunner
from cookscribe_lab.studies.paper import main
from cookscribe_lab.studies.paper.examples import side_by_side
from cookscribe_lab.studies.paper.paper import MAIN

from .conftest import Bench

MODELS = ["B", "BI", "BIV", "BIVT"]
STORIES = [f"{name}, story" for name in MODELS]


@pytest.fixture(scope="module")
def printed(bench: Bench) -> str:
    return bench.run("main", "--seeds", "2")


def test_table_has_every_row_and_says_what_it_stands_on(bench: Bench, printed: str) -> None:
    content = bench.content("main")
    plain = ["uniform", "NMS", "nearest neighbour", "linear captioner", "MT", "ECHR", "SGR", "PDVC as reported", "PDVC"]
    plain.append("PDVC comparable")
    assert [row["name"] for row in content["rows"]] == [*plain, *MODELS, *STORIES, "oracle"]
    assert content["simulated"] is True
    assert content["smoke"] is True
    assert content["surroundings"]["threads"] >= 1
    assert "torch" in content["surroundings"]
    by_name = {row["name"]: row for row in content["rows"]}
    for name in MODELS:
        assert by_name[name]["seeds"] == [0, 1]
        assert len(by_name[name]["figures"]["SODA tIoU"]["values"]) == 2
        assert by_name[name]["paper"]["SODA tIoU"] == MAIN[name]["SODA tIoU"]
        assert by_name[name]["figures"]["M parameters"]["mean"] > 0
        assert by_name[name]["figures"]["GFLOPs"]["mean"] > 0
    # The same trainings, read out in another way.
    assert by_name["B, story"]["figures"]["M parameters"] == by_name["B"]["figures"]["M parameters"]
    assert by_name["B, story"]["paper"] == {}
    for name in ("MT", "ECHR", "SGR"):
        assert by_name[name]["seeds"] == [0, 1]
        assert by_name[name]["figures"]["M parameters"]["mean"] > 0
    assert "*PDVC as reported, the paper's*" in printed
    pairs = {(one["first"], one["second"]) for one in content["paired"]}
    assert {("B", "PDVC"), ("BI", "B"), ("B", "MT"), ("MT", "uniform")} <= pairs
    assert all(one["interval"][0] <= one["mean"] <= one["interval"][1] for one in content["paired"])
    assert by_name["oracle"]["figures"]["SODA tIoU"]["mean"] >= by_name["NMS"]["figures"]["SODA tIoU"]["mean"]
    assert "*simulated* `milnce-like`" in printed
    assert "smoke run" in printed
    assert (bench.results / "main" / "main.md").read_text().strip() == printed.strip()
    assert np.asarray(Image.open(bench.results / "main" / "main.png").convert("L")).std() > 5
    assert (bench.results / "main" / "main.svg").read_text().rstrip().endswith("</svg>")


def test_figures_are_those_of_the_kept_predictions(bench: Bench, printed: str) -> None:
    del printed
    runner = VariantRunner(bench.options("main"))
    outcome = runner.outcome(main.MODELS[0], 0, train=False)
    videos = YouCook2(bench.data).videos("validation")
    truth = {key: Events(video.spans, video.sentences) for key, video in videos.items()}
    again = evaluate(truth, read_predictions(outcome.predictions), meteor=False).as_json()
    row = bench.content("main")["rows"][10]
    assert row["figures"]["SODA tIoU"]["values"][0] == pytest.approx(again["soda"]["strict"]["tIoU"])
    assert row["figures"]["dvc CIDEr-D"]["values"][0] == pytest.approx(again["dvc_eval"]["2021"]["CIDEr"])


def test_finished_parts_are_found_again(bench: Bench, printed: str, no_training: Callable[[], None]) -> None:
    no_training()
    table = printed[printed.index("| *sim") : printed.index("What each costs")]
    again = bench.run("main", "--seeds", "2")
    assert table in again
    # A changed choice is another part.
    with pytest.raises(AssertionError, match="trained again"):
        VariantRunner(bench.options("main")).outcome(main.MODELS[0].model_copy(update={"losses": {"event": 0.5}}), 7)


def test_candidates_that_say_nothing_get_no_figures_for_words(bench: Bench) -> None:
    runner = VariantRunner(bench.options("main"))
    data = runner.data()
    assert "dvc CIDEr-D" in main._plain(runner, data, "NMS")
    silent = {key: dataclasses.replace(events, captions=None) for key, events in data.candidates.items()}
    quiet = dataclasses.replace(data, candidates=silent, said="nothing")
    assert set(main._plain(runner, quiet, "NMS")) == {"SODA tIoU", "steps"}
    assert "dvc CIDEr-D" in main._plain(runner, quiet, "nearest neighbour")


def test_a_table_without_rows_is_not_written(bench: Bench, tmp_path: Path) -> None:
    with pytest.raises(BadValueError, match="names no row"):
        main.write_study(bench.options("main", out=tmp_path), "main", "", [])
    assert not list(tmp_path.iterdir())


def test_counts_reads_the_kept_recipes(bench: Bench, printed: str, no_training: Callable[[], None]) -> None:
    del printed
    no_training()
    text = bench.run("counts", "--seeds", "2")
    content = bench.content("counts")
    rows = {row["name"]: row["figures"] for row in content["rows"]}
    assert list(rows) == ["PDVC", "NMS", *MODELS, *STORIES]
    shares = [rows["BIVT"][f"off by ≤ {bound}"]["mean"] for bound in range(4)]
    assert shares == sorted(shares)
    videos = YouCook2(bench.data).videos("validation")
    assert sum(content["histograms"]["truth"].values()) == len(videos)
    mean = sum(int(n) * count for n, count in content["histograms"]["BIVT"].items()) / len(videos)
    assert mean == pytest.approx(rows["BIVT"]["mean events"]["mean"])
    assert "*14.40*" in text
    assert (bench.results / "counts" / "counts.svg").is_file()


def test_epochs_shows_the_curve(bench: Bench, printed: str, no_training: Callable[[], None]) -> None:
    del printed
    no_training()
    assert "epoch 1" in bench.run("epochs", "--seeds", "2")
    rows = bench.content("epochs")["rows"]
    assert [row["name"] for row in rows] == MODELS


def test_examples_shows_recipes_side_by_side(bench: Bench, printed: str, no_training: Callable[[], None]) -> None:
    del printed
    no_training()
    text = bench.run("examples", "--seeds", "2")
    assert text.count("|  | truth | oracle | PDVC | B | BIVT |") == 3
    content = bench.content("examples")
    videos = YouCook2(bench.data).videos("validation")
    for key, recipes in content["recipes"].items():
        assert [step["sentence"] for step in recipes["truth"]] == list(videos[key].sentences)
    assert (bench.results / "examples" / "examples-3.svg").is_file()


def test_steps_stand_side_by_side() -> None:
    truth = Events(np.array([[0.0, 65.0], [70.0, 80.0]]), ("chop a | b", "fry"))
    lines = side_by_side({"truth": truth, "B": Events(np.array([[5.0, 9.0]]), ("stir",))}).splitlines()
    assert lines[2:] == ["| 1 | 0:00-1:05 chop a / b | 0:05-0:09 stir |", "| 2 | 1:10-1:20 fry |  |"]


def test_without_data_it_says_what_is_missing(bench: Bench) -> None:
    with pytest.raises(InputError, match="COOKSCRIBE_DATA"):
        main.run(bench.options("main", data=None))
