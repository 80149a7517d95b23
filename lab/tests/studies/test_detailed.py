"""Every detailed study runs by its command, and its rows differ in what they say they differ in."""

from dataclasses import replace
from pathlib import Path

import pytest

from cookscribe.errors import BadValueError, MissingFileError
from cookscribe_lab.cli.study import OPTIONS
from cookscribe_lab.studies.core.registry import STUDIES, find_study
from cookscribe_lab.studies.core.study_data import DataChoice, open_study_data
from cookscribe_lab.studies.paper.detailed import FOUR_LOSSES, KEPT, MIXERS
from tests.command import run_command

from .conftest import Bench

THREE = ("B", "BIV", "BIVT")
ROWS: dict[str, list[str]] = {
    "losses": ["(a) none", "(b) IS", "(c) AS", "(d) IS + AS", "(e) IS + AS + IA", "(f) IS + AS + AA",
               "(g) IS + AS + IA + AA"],
    "memory": [f"{name}, {mixer}" for name in THREE for mixer in ("separate", "joint", "joint, GELU", "no memory")],
    "modalities": [f"{name}, {kind}" for name in THREE for kind in ("video only", "with captions",
                   "with captions, word vectors", "with speech")],
    "encoders": [f"{name}, {encoder}" for name in THREE for encoder in ("tsn-like", "milnce-like")],
    "candidates": [f"{name}, N = {count}" for name in THREE for count in (25, 50)],
    "layers": [f"{name}, {count}" for name in THREE for count in ("1 layer", "2 layers", "4 layers")],
    "teacher": [f"{name}, {teacher}" for name in THREE for teacher in ("gumbel", "oracle")],
    "decoding": [f"{name}, {way}" for name in ("B", "BIVT")
                 for way in ("argmax", "no reuse", "monotone", "story", "story, refined", "no reuse, beam of 3",
                             "story, refined, beam of 3")],
}  # fmt: skip


@pytest.mark.parametrize("study", list(ROWS))
def test_study_runs_by_its_command(bench: Bench, study: str) -> None:
    text = bench.run(study, "--seeds", "1")
    content = bench.content(study)
    assert [row["name"] for row in content["rows"]] == ROWS[study]
    assert "*simulated*" in text
    assert all(0 <= row["figures"]["SODA tIoU"]["mean"] <= 100 for row in content["rows"])
    assert (bench.results / study / f"{study}.png").is_file()
    assert (bench.results / study / f"{study}.svg").is_file()
    configurations = content["configuration"]
    assert list(configurations) == ROWS[study]
    planned = {configuration["model"]["planner"] for configuration in configurations.values()}
    assert planned == {study == "decoding"}
    assert ("Models without planner." in text) == (study != "decoding")
    assert "Not run" not in text
    if study == "losses":
        for name, kept in zip(ROWS[study], KEPT.values(), strict=True):
            weights = configurations[name]["losses"]
            assert [loss for loss in FOUR_LOSSES if weights[loss] > 0] == list(kept)
    if study == "memory":
        mixers = {name: configurations[f"B, {name}"]["model"]["mixing"] for name in MIXERS}
        assert mixers == {"separate": "separate", "joint": "paper", "joint, GELU": "gelu", "no memory": "reset"}
    if study in ("encoders", "candidates"):
        assert len(content["data"]) == 2
    if study == "encoders":
        assert text.splitlines()[2].startswith("Features: *simulated* `tsn-like`, *simulated* `milnce-like`.")


def test_only_trains_the_rows_it_names_and_the_table_says_what_it_lacks(bench: Bench, tmp_path: Path) -> None:
    fresh = replace(bench, work=tmp_path / "work", results=tmp_path)
    text = fresh.run("encoders", "--seeds", "1", "--only", "B, milnce-like")
    assert "Not run: B, tsn-like; BIV, tsn-like; BIV, milnce-like; BIVT, tsn-like; BIVT, milnce-like." in text
    assert "Fewer trainings" not in text
    text = fresh.run("memory", "--seeds", "2", "--only", "B, separate")
    # Joint B is the other study's, found again with its one seed; further rows would have to be trained.
    assert [line.split(" |")[0] for line in text.splitlines() if line.startswith("| B")] == [
        "| B, separate", "| B, joint", "| B, joint over B, separate",
    ]  # fmt: skip
    assert "Fewer trainings: B, joint (1 seed). Not run: B, joint, GELU; B, no memory; BIV, separate;" in text


def test_candidates_of_rows_that_nobody_asked_for_are_not_made(bench: Bench, tmp_path: Path) -> None:
    fresh = replace(bench, work=tmp_path / "work", results=tmp_path)
    text = fresh.run("candidates", "--seeds", "1", "--only", "B, N = 50", ready=False)
    assert {folder.name.partition("-")[0] for folder in (tmp_path / "work" / "proposals").iterdir()} == {"n50"}
    assert "Not run: B, N = 25; BIV, N = 25; BIV, N = 50;" in text
    text = fresh.run("candidates", "--seeds", "1", "--only", "B, N = 25", ready=False)
    assert "Not run: BIV, N = 25; BIV, N = 50;" in text


def test_seeds_that_were_trained_apart_are_joined(bench: Bench, tmp_path: Path) -> None:
    fresh = replace(bench, work=tmp_path / "work", results=tmp_path)
    fresh.run("memory", "--seeds", "1", "--first-seed", "1", "--only", "B, joint")
    assert [row["seeds"] for row in fresh.content("memory")["rows"]] == [[1]]
    text = fresh.run("memory", "--seeds", "2", "--only", "B, separate")
    assert {row["name"]: row["seeds"] for row in fresh.content("memory")["rows"]} == {
        "B, separate": [0, 1], "B, joint": [1],
    }  # fmt: skip
    assert "Fewer trainings: B, joint (1 seed)." in text


def test_reading_out_is_no_reason_to_train_again(bench: Bench, tmp_path: Path) -> None:
    # A folder of its own: other studies read the same trainings out in further ways.
    replace(bench, work=tmp_path / "work", results=tmp_path).run("decoding", "--seeds", "1")
    ways = [len(list((folder / "told").iterdir())) for folder in (tmp_path / "work" / "story").iterdir()]
    assert ways == [7, 7]


def test_a_command_offers_what_its_study_reads_and_no_more() -> None:
    for study in STUDIES:
        shown = run_command("study", study.name, "--help")
        offered = {name for name in OPTIONS if f"--{name.replace('_', '-')} " in shown}
        assert offered == set(study.options)


def test_every_study_of_the_list_is_tested_here_or_beside() -> None:
    elsewhere = (
        "main counts costs presegmented epochs examples state folds noise real-candidates oracle narrated real-frames"
    )
    assert {study.name for study in STUDIES} <= {*ROWS, *elsewhere.split()}


def test_ready_made_candidates_belong_to_what_they_were_made_for(bench: Bench) -> None:
    with pytest.raises(BadValueError, match="--candidates: is nothing that study noise reads"):
        find_study("noise").run(bench.options("noise"))
    with pytest.raises(MissingFileError, match="training_in_fold_n25"):
        open_study_data(bench.options("folds"), DataChoice(in_fold=True))
    with pytest.raises(MissingFileError, match="training_n7"):
        open_study_data(bench.options("candidates"), DataChoice(events=7))
