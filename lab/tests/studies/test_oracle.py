"""The ground of studies, trained in seconds on made-up videos, and the study of the oracle upon it."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cookscribe.errors import InputError
from cookscribe.learning.proposals.run import read_folds
from cookscribe_lab.studies.core import ground as ground_module
from cookscribe_lab.studies.core.ground import Ground, prepare_ground
from cookscribe_lab.studies.core.registry import STUDIES, StudyOptions
from cookscribe_lab.studies.paper.oracle import COUNTS, ENCODERS, run
from lab.tests.studies.made_up_youcook2 import write_folder


@pytest.fixture(scope="module")
def options(tmp_path_factory: pytest.TempPathFactory) -> StudyOptions:
    root = tmp_path_factory.mktemp("oracle")
    data = write_folder(root / "youcook2", training=12, validation=5)
    return StudyOptions(data, root / "results", seeds=1, smoke=True, meteor=False, work=root / "work")


@pytest.fixture(scope="module")
def ground(options: StudyOptions) -> Ground:
    return prepare_ground(options, events=9, folds=2)


def test_the_ground_has_candidates_with_features_for_every_video(ground: Ground) -> None:
    assert (len(ground.training), len(ground.validation)) == (12, 5)
    assert ground.simulated
    assert ground.encoder == "milnce-like"
    for found in (*ground.training.values(), *ground.validation.values()):
        assert len(found) == 9
        assert found.features is not None
        assert found.features.shape == (9, 512)
        assert found.captions is not None
    assert ground.proposals is not None
    assert set(read_folds(ground.proposals)) == set(ground.training)


def test_a_second_study_does_not_train_again(
    options: StudyOptions, ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("proposed again")

    monkeypatch.setattr(ground_module, "propose_folder", refuse)
    before = {path: path.stat().st_mtime_ns for path in options.parts.rglob("weights.safetensors")}
    again = prepare_ground(options, events=9, folds=2)
    assert {path: path.stat().st_mtime_ns for path in options.parts.rglob("weights.safetensors")} == before
    for key, found in ground.training.items():
        np.testing.assert_array_equal(again.training[key].spans, found.spans)


def test_other_choices_are_other_parts_and_in_fold_is_another_answer(options: StudyOptions, ground: Ground) -> None:
    in_fold = prepare_ground(options, events=9, folds=0, captions="validation")
    other = prepare_ground(options, events=9, folds=0, captions="validation", seed=1)
    key = next(iter(ground.training))
    assert not np.allclose(in_fold.training[key].spans, ground.training[key].spans)
    assert not np.allclose(in_fold.training[key].spans, other.training[key].spans)
    assert in_fold.training[key].captions is None
    assert next(iter(in_fold.validation.values())).captions is not None


def test_without_data_the_study_says_what_it_needs(options: StudyOptions) -> None:
    with pytest.raises(InputError, match="--data"):
        run(replace(options, data=None))


def test_the_study_writes_tables_and_a_picture(options: StudyOptions, monkeypatch: pytest.MonkeyPatch) -> None:
    text = run(options)
    assert "A smoke run" in text
    assert "*simulated*" in text
    out = options.out
    assert (out / "oracle.md").read_text() == text
    assert (out / "oracle.png").stat().st_size > 5_000
    assert "<svg" in (out / "oracle.svg").read_text()[:500]
    content = json.loads((out / "oracle.json").read_text())
    rows = {row["name"]: row["figures"] for row in content["rows"]}
    for count in COUNTS[:2]:
        name = f"{ENCODERS[0]}, N = {count}"
        perfect, own = rows[f"oracle, {name}"], rows[f"PDVC's answer, {name}"]
        # Nobody chooses better than who knows the truth.
        assert perfect["SODA tIoU"]["mean"] >= own["SODA tIoU"]["mean"]
        placed = rows[f"{name} (1 seed)"]
        assert placed["oracle, in order"]["mean"] >= placed["answer"]["mean"]
        overlaps = content["parts"][name]["0"]["overlaps"]
        assert sum(overlaps["validation"]) == sum(row_steps(options.data, "validation"))
    assert {"surroundings", "options", "training", "model"} <= content.keys()
    # All is kept: nothing is trained or proposed for the same table.
    monkeypatch.setattr("cookscribe_lab.studies.paper.oracle.prepare_ground", None)
    assert run(options) == text
    only = run(replace(options, only=("no such row",)))
    assert re.sub(r"\s", "", only) == re.sub(r"\s", "", text)


def test_without_captions_places_are_compared_and_nothing_else(options: StudyOptions) -> None:
    silent = replace(options, captions=False, out=options.out / "silent", work=options.out / "silent-work")
    silent = replace(silent, features=options.parts / "features" / "milnce-like-difficulty-1")
    text = run(replace(silent, only=(f"{ENCODERS[0]}, N = 25",)))
    assert "SODA tIoU" in text
    assert "CIDEr-D" not in text
    assert "N = 50" not in text


def test_the_study_is_known() -> None:
    assert "oracle" in [study.name for study in STUDIES]


def row_steps(data: Path | None, split: str) -> list[int]:
    assert data is not None
    database = json.loads((data / "annotations" / "youcookii_annotations_trainval.json").read_text())["database"]
    return [len(video["annotations"]) for video in database.values() if video["subset"] == split]
