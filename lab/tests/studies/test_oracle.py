"""The candidates of studies, trained in seconds on made-up videos, and the study of the oracle with them."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest

from cookscribe.errors import InputError
from cookscribe.learning.datasets.root import YouCook2
from cookscribe.learning.folds import read_folds
from cookscribe_lab.studies.core.candidate_sets import CandidateSet, prepare_candidates
from cookscribe_lab.studies.core.registry import StudyOptions, find_study
from cookscribe_lab.studies.paper.oracle import COUNTS, ENCODERS
from tests.learning.made_up_youcook2 import write_folder

run = find_study("oracle").run


@pytest.fixture(scope="module")
def options(tmp_path_factory: pytest.TempPathFactory) -> StudyOptions:
    root = tmp_path_factory.mktemp("oracle")
    data = write_folder(root / "youcook2", training=12, validation=5)
    return StudyOptions(data=data, out=root / "results", seeds=1, smoke=True, meteor=False, work=root / "work")


@pytest.fixture(scope="module")
def offer(options: StudyOptions) -> CandidateSet:
    return prepare_candidates(options, events=9, folds=2)


def test_the_set_has_candidates_with_features_for_every_video(offer: CandidateSet) -> None:
    assert (len(offer.training), len(offer.validation)) == (12, 5)
    assert offer.example.simulated
    assert offer.example.encoder == "milnce-like"
    for found in (*offer.training.values(), *offer.validation.values()):
        assert len(found) == 9
        assert found.features.shape == (9, 512)
        assert found.captions is not None
    assert offer.proposals is not None
    assert set(read_folds(offer.proposals)) == set(offer.training)


def test_a_second_study_does_not_train_again(
    options: StudyOptions, offer: CandidateSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    again = "cookscribe.learning.proposals.out_of_fold.propose_folder"
    monkeypatch.setattr(again, lambda *_, **__: pytest.fail("proposed again"))
    before = {path: path.stat().st_mtime_ns for path in options.parts.rglob("weights.safetensors")}
    again = prepare_candidates(options, events=9, folds=2)
    assert {path: path.stat().st_mtime_ns for path in options.parts.rglob("weights.safetensors")} == before
    for key, found in offer.training.items():
        np.testing.assert_array_equal(again.training[key].spans, found.spans)


def test_other_choices_are_other_parts_and_in_fold_is_another_answer(
    options: StudyOptions, offer: CandidateSet
) -> None:
    in_fold = prepare_candidates(options, events=9, folds=0, captions="validation")
    other = prepare_candidates(options, events=9, folds=0, captions="validation", seed=1)
    key = next(iter(offer.training))
    assert not np.allclose(in_fold.training[key].spans, offer.training[key].spans)
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
    assert options.data is not None
    videos = YouCook2(options.data).videos("validation")
    rows = {row["name"]: row["figures"] for row in content["rows"]}
    for count in COUNTS[:2]:
        name = f"{ENCODERS[0]}, N = {count}"
        perfect, own = rows[f"oracle, {name}"], rows[f"PDVC's answer, {name}"]
        # Nobody chooses better than who knows the truth.
        assert perfect["SODA tIoU"]["mean"] >= own["SODA tIoU"]["mean"]
        placed = rows[f"{name} (1 seed)"]
        assert placed["oracle, in order"]["mean"] >= placed["answer"]["mean"]
        overlaps = content["parts"][name]["0"]["overlaps"]
        assert sum(overlaps["validation"]) == sum(len(video.spans) for video in videos.values())
    assert {"surroundings", "options", "training", "model"} <= content.keys()
    # All is kept: nothing is trained or proposed for the same table.
    monkeypatch.setattr("cookscribe_lab.studies.paper.oracle.prepare_candidates", None)
    assert run(options) == text
    only = run(replace(options, only=(f"{ENCODERS[0]}, N = {COUNTS[0]}",)))
    assert re.sub(r"\s", "", only) == re.sub(r"\s", "", text), "finished rows are shown, too"


def test_without_captions_places_are_compared_and_nothing_else(options: StudyOptions) -> None:
    silent = replace(options, captions=False, out=options.out / "silent", work=options.out / "silent-work")
    silent = replace(silent, features=options.parts / "features" / "milnce-like-difficulty-1")
    text = run(replace(silent, only=(f"{ENCODERS[0]}, N = 25",)))
    assert "SODA tIoU" in text
    assert "CIDEr-D" not in text
    assert "N = 50" not in text
