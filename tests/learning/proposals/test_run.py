"""From a configuration file to candidates, as a user does it: folds, both formats, interrupts, wrong input."""

import json
from pathlib import Path

import numpy as np
import pytest

from cookscribe.batch.engine import Crew
from cookscribe.encoders.store import FeatureStore
from cookscribe.errors import BadFileError, BadValueError, MissingFileError
from cookscribe.learning.datasets.youcook2 import write_truth
from cookscribe.learning.folds import read_folds
from cookscribe.learning.proposals import out_of_fold
from cookscribe.learning.proposals.out_of_fold import ProposeOptions, propose_folder
from cookscribe.learning.proposals.run import ProposalRun
from cookscribe.model_folder import open_model
from cookscribe.proposals.candidate_files import read_candidates
from cookscribe.proposals.pdvc.config import ProposalConfig
from cookscribe.proposals.pdvc.propose import Proposer
from cookscribe.proposals.store import read_candidate_store
from tests.command import run_command
from tests.learning.proposals.videos import made_up


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with features, truth, a configuration file and a model with three folds."""
    folder = tmp_path_factory.mktemp("run")
    videos, _ = made_up(12, folder / "features")
    write_truth(folder / "truth.json", videos[:9])
    model = {"width": 32, "feedforward": 32, "frames": 32, "queries": 8, "caption_width": 16, "caption_length": 8}
    config = {
        "data": "truth.json",
        "features": "features",
        "model": model,
        "training": {"epochs": 2, "batch_size": 4},
        "min_count": 1,
        "caption_training": {"epochs": 2},
        "fold_captions": True,
        "folds": 3,
    }
    (folder / "run.json").write_text(json.dumps(config))
    printed = run_command("train", "proposals", "--config", folder / "run.json", "--out", folder / "model")
    assert printed.count("development: score") == 4
    return folder


def test_every_training_video_is_left_out_of_exactly_one_fold(trained: Path) -> None:
    of_video = read_folds(trained / "model")
    assert sorted(of_video) == [f"made{n:03d}" for n in range(9)]
    assert sorted({path.name for path in of_video.values()}) == ["fold-1", "fold-2", "fold-3"]
    for path in set(of_video.values()):
        saved = open_model(path, "proposals")
        assert saved.config["encoder"] == "made-up"


def test_candidates_of_training_videos_come_from_the_fold_that_did_not_see_them(trained: Path) -> None:
    out = trained / "candidates.json"
    features = trained / "features"
    printed = run_command("propose", "--model", trained / "model", "--features", features, "--out", out)
    assert "8 candidates for each of 12 videos (9 out of fold, simulated features)" in printed
    found = read_candidates(out)
    assert len(found) == 12
    assert all(len(candidates) == 8 for candidates in found.values())
    store, of_video = FeatureStore(features), read_folds(trained / "model")
    for video_id in ("made000", "made004", "made010"):
        expected = Proposer.load(of_video.get(video_id, trained / "model")).propose(store.read(video_id))
        np.testing.assert_allclose(found[video_id].spans, expected.spans, atol=1e-3)
        np.testing.assert_allclose(found[video_id].scores, expected.scores, atol=1e-5)
        assert found[video_id].captions == expected.captions
    in_fold = trained / "in_fold.json"
    printed = run_command(
        "propose", "--model", trained / "model", "--features", features, "--out", in_fold, "--in-fold", "--no-captions"
    )
    assert "(0 out of fold" in printed
    other = read_candidates(in_fold)
    assert np.abs(other["made000"].spans - found["made000"].spans).max() > 1e-3
    np.testing.assert_allclose(other["made010"].spans, found["made010"].spans, atol=1e-4)
    assert other["made000"].captions is None
    assert not list(trained.glob(".*.parts"))


def test_our_own_format_keeps_the_features(trained: Path) -> None:
    out = trained / "candidates.safetensors"
    run_command("propose", "--model", trained / "model", "--features", trained / "features", "--out", out)
    found, about = read_candidate_store(out)
    assert about["simulated"] is True
    assert about["out_of_fold"] == 9
    store = FeatureStore(trained / "features")
    for video_id, candidates in found.items():
        np.testing.assert_allclose(
            candidates.features, store.read(video_id).over(candidates.spans), rtol=2e-3, atol=2e-3
        )
    out.write_bytes(out.read_bytes()[:-9])
    with pytest.raises(BadFileError, match="is damaged"):
        read_candidate_store(out)
    with pytest.raises(MissingFileError):
        read_candidate_store(trained / "none.safetensors")


def test_proposing_goes_on_after_an_interrupt(trained: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(out_of_fold, "PART", 2)
    store, parts = FeatureStore(trained / "features"), trained / "parts"
    ids, options = store.ids(), ProposeOptions(captions=False)
    straight, _ = propose_folder(trained / "model", store, ids, options, trained / "other-parts")
    asked: list[str] = []
    real = FeatureStore.read

    def counted(self: FeatureStore, video_id: str):
        asked.append(video_id)
        if len(asked) == 6:
            raise KeyboardInterrupt
        return real(self, video_id)

    monkeypatch.setattr(FeatureStore, "read", counted)
    with pytest.raises(KeyboardInterrupt):
        propose_folder(trained / "model", store, ids, options, parts)
    again, _ = propose_folder(trained / "model", store, ids, options, parts)
    assert len(asked) < 6 + len(ids)
    for video_id in ids:
        np.testing.assert_array_equal(again[video_id].spans, straight[video_id].spans)


def test_many_processes_propose_what_one_does(trained: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(out_of_fold, "PART", 4)
    store = FeatureStore(trained / "features")
    ids, options = store.ids(), ProposeOptions(in_fold=True)
    one, _ = propose_folder(trained / "model", store, ids, options, trained / "parts-of-one")
    crew = Crew(workers=2, threads=1)
    two, _ = propose_folder(trained / "model", store, ids, options, trained / "parts-of-two", crew)
    assert list(one) == list(two) == ids
    for video_id in ids:
        np.testing.assert_allclose(two[video_id].spans, one[video_id].spans, rtol=1e-5, atol=1e-5)
        assert two[video_id].captions == one[video_id].captions


def test_a_finished_run_is_not_trained_again(trained: Path) -> None:
    before = (trained / "model" / "weights.safetensors").stat().st_mtime_ns
    run_command("train", "proposals", "--config", trained / "run.json", "--out", trained / "model")
    assert (trained / "model" / "weights.safetensors").stat().st_mtime_ns == before
    with pytest.raises(BadValueError, match="other choices"):
        run_command("train", "proposals", "--config", trained / "run.json", "--out", trained / "model", "--queries", 9)


def test_wrong_input_is_named(trained: Path, tmp_path: Path) -> None:
    model, features = trained / "model", trained / "features"
    with pytest.raises(BadValueError, match="unknown ending"):
        run_command("propose", "--model", model, "--features", features, "--out", tmp_path / "x.txt")
    with pytest.raises(MissingFileError, match="no such model folder"):
        run_command("propose", "--model", tmp_path / "no", "--features", features, "--out", tmp_path / "x.json")
    _, other = made_up(1, tmp_path / "wide", width=20)
    with pytest.raises(BadValueError, match="have 20 columns, the model reads 16"):
        run_command("propose", "--model", model, "--features", other.folder, "--out", tmp_path / "x.json")
    (tmp_path / "run.json").write_text('{"data": "truth.json", "features": "wide", "presset": "small"}')
    with pytest.raises(BadValueError, match="presset"):
        run_command("train", "proposals", "--config", tmp_path / "run.json", "--out", tmp_path / "m")
    assert not (tmp_path / "x.json").exists()
    with pytest.raises(BadValueError, match="no preset 'huge'"):
        ProposalRun(data="a", features="b", preset="huge").training_config()


@pytest.mark.parametrize("given", [("--folds", "1"), ()])
def test_one_fold_is_refused_before_anything_is_trained(trained: Path, tmp_path: Path, given: tuple[str, ...]) -> None:
    config = json.loads((trained / "run.json").read_text())
    path = trained / "one.json"
    path.write_text(json.dumps(config | {"folds": 0 if given else 1}))
    with pytest.raises(BadValueError, match="one fold is all videos") as caught:
        run_command("train", "proposals", "--config", path, "--out", tmp_path / "model", *given)
    assert caught.value.subject == str(path)
    assert list(tmp_path.iterdir()) == []


def test_more_folds_than_videos_are_refused_before_anything_is_trained(trained: Path, tmp_path: Path) -> None:
    with pytest.raises(BadValueError, match="cannot make 10 folds of 9 videos"):
        run_command(
            "train", "proposals", "--config", trained / "run.json", "--out", tmp_path / "model", "--folds", "10"
        )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("name", "value"), [("queries", 10**9), ("width", 2**40), ("words", 2**62), ("frames", 10**8)])
def test_sizes_beyond_reason_are_refused(name: str, value: int) -> None:
    with pytest.raises(BadValueError, match=name):
        ProposalConfig.preset("small", **{name: value})
