"""Training sight on made-up stills: it learns what they show, without having seen them, and is as sure as it may be."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from cookscribe.errors import BadFileError, MissingFileError
from cookscribe.learning.datasets.root import YouCook2
from cookscribe.learning.sight.fitting import groups_of, logistic, ridge
from cookscribe.learning.sight.measures import average_precision, calibration_error, recall_at_5
from cookscribe.learning.sight.words import named_words
from cookscribe.model_folder import read_tensors, write_tensors
from cookscribe.senses.listed import compete, ingredients_in_steps
from cookscribe.senses.sight import OF_SENTENCES, Sight
from cookscribe.track import FeatureTrack
from tests.command import run_command
from tests.learning.made_up_stills import write_stills
from tests.learning.made_up_youcook2 import FOODS, VERBS


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The data and what the command made of them."""
    folder = tmp_path_factory.mktemp("sight")
    data = write_stills(folder / "data", folder / "out" / "cache")
    run_command("train", "sight", "--data", data, "--out", folder / "out", "--encoder", "tinyvit")
    return data, folder / "out"


def test_it_sees_what_is_shown_in_videos_that_it_has_not_seen(trained: tuple[Path, Path]) -> None:
    lines = [json.loads(line) for line in (trained[1] / "seen.jsonl").read_text().splitlines()]
    stills = sorted((trained[0] / "frames").glob("*.jpg"))
    assert len(lines) == len(stills)
    right = []
    for line in lines:
        assert {"video_id", "event_index", "split", "sentence", "tags"} == set(line)
        best = {kind: next(word for word, _, k in line["tags"] if k == kind) for kind in ("food", "action")}
        right.append(best["food"] in line["sentence"] and best["action"] in line["sentence"])
    assert np.mean(right) > 0.8
    figures = json.loads((trained[1] / "figures.json").read_text())
    assert figures["calibration error"] < 0.05
    assert figures["recall at 5 of 50"] > 40
    assert figures["list average precision"] > 80


def test_the_saved_heads_look_as_the_trained_ones(trained: tuple[Path, Path]) -> None:
    sight = Sight.load(trained[1] / "sight")
    rows, _ = read_tensors(trained[1] / "cache" / "tinyvit.safetensors")
    lines = [json.loads(line) for line in (trained[1] / "seen.jsonl").read_text().splitlines()]
    judged = [line for line in lines if line["split"] == "validation"]
    values = np.stack([rows[f"{line['video_id']}_{line['event_index']}.jpg"].numpy() for line in judged])
    seen = sight.look(FeatureTrack(np.arange(len(values)), values, "tinyvit", float(len(values))))
    for row, line in zip(seen.words, judged, strict=True):
        for word, sure, _ in line["tags"][:3]:
            assert row[sight.config.words.index(word)] == pytest.approx(sure, abs=0.02)
    assert seen.share_cooking > 0.9
    strange = np.random.default_rng(0).normal(size=(20, 320)).astype(np.float32) * 5
    assert sight.look(FeatureTrack(np.arange(20), strange, "tinyvit", 20.0)).share_cooking < 0.3


def test_heads_share_what_they_know_of_sentences(trained: tuple[Path, Path], tmp_path: Path) -> None:
    whole = trained[1] / "sight"
    tensors, header = read_tensors(whole / "weights.safetensors")
    own = {name: value for name, value in tensors.items() if name not in OF_SENTENCES}
    assert len(tensors) - len(own) == len(OF_SENTENCES)
    write_tensors(tmp_path / "weights.safetensors", own, header)
    (tmp_path / "config.json").write_text((whole / "config.json").read_text())
    found = Sight.load(tmp_path, whole).model.state_dict()
    assert all(torch.equal(value, found[name]) for name, value in Sight.load(whole).model.state_dict().items())
    with pytest.raises(BadFileError, match="lacks"):
        Sight.load(tmp_path)


def test_listed_ingredients_are_found_in_their_steps(trained: tuple[Path, Path]) -> None:
    sight = Sight.load(trained[1] / "sight")
    words = np.full((2, len(sight.config.words)), 0.02)
    words[0, sight.config.words.index("onion")] = 0.9
    words[1, sight.config.words.index("rice")] = 0.9
    used = ingredients_in_steps(sight, words, np.zeros((2, 384)), ["rice", "red onion"], None)
    assert used[0, 1] > used[0, 0]
    assert used[1, 0] > used[1, 1]


def test_the_study_judges_the_validation_stills(trained: tuple[Path, Path], tmp_path: Path) -> None:
    data, out = trained
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "sight-tinyvit").symlink_to(out)
    arguments = ("--data", data, "--out", tmp_path / "results", "--work", tmp_path / "work", "--smoke")
    table = run_command("study", "real-frames", *arguments)
    assert "smoke run" in table
    content = json.loads((tmp_path / "results" / "real-frames.json").read_text())
    rows = {row["name"]: row["figures"] for row in content["rows"]}
    assert rows["tinyvit"]["recall@5 of 50"]["mean"] > rows["chance"]["recall@5 of 50"]["mean"] + 20
    assert rows["tinyvit"]["list AP, jointly"]["mean"] > rows["frequency of use"]["list AP, jointly"]["mean"] + 10


def test_without_stills_the_error_names_the_file(trained: tuple[Path, Path], tmp_path: Path) -> None:
    (tmp_path / "annotations").mkdir()
    with pytest.raises(MissingFileError, match=r"frames\.jsonl"):
        run_command("train", "sight", "--data", tmp_path, "--out", tmp_path / "out")
    assert YouCook2(trained[0]).path("frames").is_file()


def test_heads_against_plain_versions() -> None:
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(60, 4)), rng.normal(size=(60, 2))
    weights, shift = ridge(torch.from_numpy(x), torch.from_numpy(y), 2.0)
    centred = x - x.mean(axis=0)
    plain = np.linalg.inv(centred.T @ centred + 2.0 * np.eye(4)) @ centred.T @ (y - y.mean(axis=0))
    np.testing.assert_allclose(weights.numpy(), plain, atol=1e-9)
    np.testing.assert_allclose((x @ weights.numpy() + shift.numpy()).mean(axis=0), y.mean(axis=0), atol=1e-9)
    labels = (x[:, :1] + 0.5 * rng.normal(size=(60, 1)) > 0).astype(np.float64)
    weights, shift = logistic(torch.from_numpy(x), torch.from_numpy(labels), 1.0)
    p = 1 / (1 + np.exp(-(x @ weights.numpy() + shift.numpy())))
    # At the least of the loss its slope is zero.
    np.testing.assert_allclose(x.T @ (p - labels) + weights.numpy(), 0.0, atol=1e-2)
    rows = np.concatenate([rng.normal(size=(20, 3)) * 0.05 + one for one in np.eye(3)])
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    _, member = groups_of(torch.from_numpy(rows), 6, "test")
    parts = [set(member[n : n + 20].tolist()) for n in (0, 20, 40)]
    assert len(parts[0] | parts[1] | parts[2]) == sum(len(part) for part in parts), "no group has members of two"


def test_measures_of_known_cases() -> None:
    assert average_precision(np.array([3.0, 2.0, 1.0]), np.array([1.0, 0.0, 1.0])) == pytest.approx((1 + 2 / 3) / 2)
    assert calibration_error(np.array([0.25] * 4), np.array([1.0, 0, 0, 0])) == pytest.approx(0.0)
    assert calibration_error(np.array([0.95] * 4), np.array([1.0, 0, 0, 0])) == pytest.approx(0.7)
    assert recall_at_5(np.eye(80), "test", 2) == 100.0
    assert recall_at_5(np.zeros((80, 80)), "test", 2) == 0.0, "a tie is no hit"
    chance = recall_at_5(np.random.default_rng(0).normal(size=(1500, 1500)), "test", 1)
    assert chance == pytest.approx(10.0, abs=2.5)


def test_steps_compete_for_an_ingredient() -> None:
    alone = np.array([[2.0, 0.0], [-2.0, 0.0], [-2.0, 0.0]])
    jointly = compete(alone)
    assert jointly[0, 0] > jointly[1, 0]
    assert jointly[0, 0] > jointly[0, 1]
    assert (compete(alone, elsewhere=5) < jointly).all(), "steps without a picture compete, too"


def test_words_are_found_in_any_number_and_form() -> None:
    named = named_words(("onion", "green onion", "fry"), ("food", "food", "action"), ["fried green onions", "an onion"])
    assert named.tolist() == [[0, 1, 1], [1, 0, 0]]
    assert set(FOODS) | set(VERBS)
