"""The study of real candidates on made-up files: every part runs, rows are complete, finished parts are kept."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from cookscribe.errors import InputError
from cookscribe.evaluation import soda_tiou
from cookscribe.learning.datasets.root import YouCook2
from cookscribe.proposals.plain import suppressed
from cookscribe_lab.studies.core.registry import STUDIES, StudyOptions, find_study
from cookscribe_lab.studies.selection import real_candidates
from cookscribe_lab.studies.selection.real_candidates import (
    ENSEMBLES,
    EVERYTHING,
    INPUTS,
    MIXTURES,
    NMS,
    ORACLE,
    PLAIN_INPUTS,
    RULES,
    SHOWN,
)
from cookscribe_lab.studies.selection.videos import SelectionVideo
from tests.command import run_command
from tests.learning.made_up_youcook2 import write_folder


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, str]:
    """Data folder, results folder, table of a smoke run."""
    data = write_folder(tmp_path_factory.mktemp("data") / "youcook2")
    out = tmp_path_factory.mktemp("out")
    table = find_study("real-candidates").run(StudyOptions(data=data, out=out, seeds=2, smoke=True))
    return data, out, table


def test_rows_are_complete(finished: tuple[Path, Path, str]) -> None:
    _, out, table = finished
    content = json.loads((out / "real-candidates.json").read_text())
    rows = content["rows"]
    assert {"inputs", "decoding", "seed", "soda_tiou", "within_1", "within_3", "f1", "against_nms"} <= set(rows[0])
    seen = {(row["inputs"], row["decoding"], row["seed"]) for row in rows}
    assert len(seen) == len(rows)
    assert (PLAIN_INPUTS, NMS, None) in seen
    for name in INPUTS:
        assert {(name, decoding, seed) for decoding in SHOWN for seed in (0, 1)} <= seen
        assert {(name, decoding, "all") for decoding in ENSEMBLES.values()} <= seen
    assert {(EVERYTHING, decoding, "all") for decoding in ENSEMBLES.values()} <= seen
    for chosen in content["rules"]:
        assert set(chosen["scores"]) == set(RULES)
        assert chosen["scores"][chosen["rule"]] == max(chosen["scores"].values())
    paper = [row for row in rows if row["decoding"].startswith("paper")]
    assert [row["seed"] for row in paper] == [0, 1]
    assert all(0 <= row["soda_tiou"] <= 100 and 0 <= row["within_1"] <= row["within_3"] <= 100 for row in rows)
    oracle = next(row for row in rows if row["decoding"] == ORACLE)
    assert all(row["soda_tiou"] <= oracle["soda_tiou"] for row in rows if row["decoding"] == NMS)
    assert content["smoke"] is True
    assert content["surroundings"]["threads"] == 1
    assert "not the protocol of the paper" in content["protocol"]
    assert (out / "real-candidates.md").read_text().count("\n") == 2 + len({row[:2] for row in seen})
    assert table.startswith((out / "real-candidates.md").read_text())
    assert {(name, decoding, 0) for name in MIXTURES for decoding in SHOWN} <= seen
    # Three folds: one planner inside each, two seeds of four planners and of the pointer, one of the other mixtures.
    assert content["parts"] == {"trained": 3 * (1 + 2 * 4 + 2 + 4), "found": 0}
    assert content["minutes"]["processor"] > 0
    assert 0 < content["minutes"]["elapsed"] < 10


def test_pictures_are_drawn(finished: tuple[Path, Path, str]) -> None:
    _, out, _ = finished
    for name in ("counts.png", "timelines.png"):
        picture = np.asarray(Image.open(out / name).convert("L"))
        assert picture.std() > 5  # not an empty page


def test_finished_parts_are_not_done_again(finished: tuple[Path, Path, str], monkeypatch: pytest.MonkeyPatch) -> None:
    data, out, table = finished
    before = {path: path.stat().st_mtime_ns for path in (out / "parts").iterdir()}
    trained: list[tuple[object, ...]] = []
    train = real_candidates.train_selector

    def counting(*arguments: object) -> object:
        trained.append(arguments)
        return train(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(real_candidates, "train_selector", counting)
    figures = json.loads((out / "real-candidates.json").read_text())["rows"]
    lost = min(path for path in before if path.name.startswith("planner"))
    kept = lost.read_bytes()
    lost.unlink()
    again = find_study("real-candidates").run(StudyOptions(data=data, out=out, seeds=2, smoke=True))
    assert len(trained) == 1
    content = json.loads((out / "real-candidates.json").read_text())
    assert content["rows"] == figures
    assert content["parts"] == {"trained": 1, "found": len(before) - 1}
    assert again.splitlines()[:-1] == table.splitlines()[:-1]
    assert lost.read_bytes() == kept  # the same seed and fold give the same weights
    assert all(path.stat().st_mtime_ns == time for path, time in before.items() if path != lost)


def test_nms_row_is_nms(finished: tuple[Path, Path, str]) -> None:
    data, out, _ = finished
    files = YouCook2(data)
    truth = {key: video.spans for key, video in files.videos("validation").items()}
    chosen = {key: suppressed(found, 0.3).spans for key, found in files.candidates().items()}
    row = json.loads((out / "real-candidates.json").read_text())["rows"][0]
    assert row["soda_tiou"] == pytest.approx(soda_tiou(truth, chosen))


def test_no_video_is_tested_on_a_model_that_saw_it(
    finished: tuple[Path, Path, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, _, _ = finished
    everyone = {f"video{n:03d}" for n in range(24, 40)}
    seen: list[set[str]] = []
    pairs: list[tuple[set[str], set[str]]] = []  # learnt from, tested on
    train, plan = real_candidates.train_selector, real_candidates.plan_videos

    def training(videos: list[SelectionVideo], *rest: Any) -> Any:
        seen.append({video.id for video in videos})
        return train(videos, *rest)

    def planning(selector: Any, videos: list[SelectionVideo]) -> Any:
        pairs.append((seen[-1], {video.id for video in videos}))
        return plan(selector, videos)

    def pointing(_: Any, videos: list[SelectionVideo], __: Any) -> list[list[int]]:
        pairs.append((seen[-1], {video.id for video in videos}))
        return [[0]] * len(videos)

    for name, replacement in (("train_selector", training), ("plan_videos", planning), ("point_out", pointing)):
        monkeypatch.setattr(real_candidates, name, replacement)
    find_study("real-candidates").run(StudyOptions(data=data, out=tmp_path, seeds=1, smoke=True))
    assert all(not learnt & held_out for learnt, held_out in pairs)
    outer = [held_out for learnt, held_out in pairs if learnt | held_out == everyone]
    assert set().union(*outer) == everyone
    # Rules are chosen without a look at the fold they are for: both it and the fold they are tried on are left out.
    inner = [everyone - learnt - held_out for learnt, held_out in pairs if learnt | held_out != everyone]
    assert len(inner) == 3
    assert set().union(*inner) == everyone
    assert all(left_out in outer for left_out in inner)


def test_without_data_it_says_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="COOKSCRIBE_DATA"):
        find_study("real-candidates").run(StudyOptions(data=None, out=tmp_path))


def test_study_list_names_every_study() -> None:
    printed = run_command("study", "list")
    for study in STUDIES:
        assert study.name in printed
        assert study.explanation in printed
