"""The recipe model learns, is kept in a folder, and writes from it."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from cookscribe.errors import BadFileError, BadValueError, CookscribeError
from cookscribe.evaluation.events import Events
from cookscribe.evaluation.inputs import read_predictions
from cookscribe.evaluation.soda import soda
from cookscribe.learning import predicting
from cookscribe.learning.bag_of_words_pretraining import bag_loss
from cookscribe.learning.datasets.oracle import oracle_labels
from cookscribe.learning.datasets.youcook2 import write_truth
from cookscribe.learning.loop import shuffled, train
from cookscribe.learning.story_run import StoryRun, make_task, read_candidate_file, read_material, train_story
from cookscribe.learning.story_task import StoryTask, story_events
from cookscribe.pipelines.story_writer import StoryWriter
from tests.command import run_command
from tests.learning.story_kitchen import video, write_kitchen


@pytest.fixture(scope="module")
def kitchen(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_kitchen(tmp_path_factory.mktemp("kitchen"))


def run_of(config: Path, **changes: Any) -> StoryRun:
    return StoryRun.parse(StoryRun.load(config).model_dump() | changes)


@pytest.fixture(scope="module")
def learnt(kitchen: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("learnt")
    training = {"epochs": 10, "batch_size": 4, "learning_rate": 0.01, "ema": 0.9, "evaluate_every": 10}
    train_story(run_of(kitchen, training=training), kitchen.parent, folder, quiet=True)
    return folder


def test_it_learns_to_tell_films_it_has_not_seen(learnt: Path) -> None:
    writer = StoryWriter.load(learnt)
    films = [video(number) for number in range(100, 112)]
    given = [writer.prepare(events, truth.ingredients, track) for truth, track, events in films]
    stories = writer.write(given)
    truth = {film.id: Events(film.spans, film.sentences) for film, _, _ in films}
    told = {film.id: story_events(story) for (film, _, _), story in zip(films, stories, strict=True)}
    # A story of another film is the baseline: right words, wrong film.
    ids = list(truth)
    exchanged = {key: told[ids[n - 1]] for n, key in enumerate(ids)}
    assert soda(truth, told, "tIoU") > 80
    assert soda(truth, told, "CIDEr") > 2 * soda(truth, exchanged, "CIDEr") > 0
    named = [
        (step.ingredients, film.ingredients, step.sentence)
        for (film, _, _), story in zip(films, stories, strict=True)
        for step in story.steps
    ]
    right = [names[int(weights.argmax())] in sentence for weights, names, sentence in named if weights is not None]
    assert np.mean(right) > 0.8


def test_same_seed_gives_the_same_weights_and_an_interrupt_changes_nothing(kitchen: Path, tmp_path: Path) -> None:
    run = run_of(kitchen, preset="small-bi", training={"epochs": 2, "batch_size": 10, "checkpoint_every": 1})
    material = read_material(run, kitchen.parent)
    straight = train(make_task(run, material), run.training_config(), tmp_path / "a", quiet=True)

    task = make_task(run, material)
    calls, losses = 0, task.losses

    def stop_at_third(items: Any, epoch: int) -> Any:
        nonlocal calls
        calls += 1
        if calls == 3:
            raise KeyboardInterrupt
        return losses(items, epoch)

    task.losses = stop_at_third  # type: ignore[method-assign]
    with pytest.raises(KeyboardInterrupt):
        train(task, run.training_config(), tmp_path / "b", quiet=True)
    resumed = train(make_task(run, material), run.training_config(), tmp_path / "b", quiet=True)
    assert resumed.made["last_weights"] == straight.made["last_weights"]
    assert resumed.best_score == straight.best_score


def test_half_precision_trains(kitchen: Path, tmp_path: Path) -> None:
    training = {"epochs": 1, "batch_size": 10, "precision": "bfloat16"}
    history = train_story(run_of(kitchen, training=training), kitchen.parent, tmp_path, quiet=True)
    assert np.isfinite(history.epochs[0].losses["loss"])
    weights = StoryWriter.load(tmp_path).model.state_dict()
    assert {value.dtype for value in weights.values()} == {torch.float32}


@pytest.mark.parametrize("preset", ["small-b", "small-bi", "small-biv"])
def test_every_model_trains_and_reads_captions(kitchen: Path, tmp_path: Path, preset: str) -> None:
    run = run_of(kitchen, preset=preset, texts=("caption",), training={"epochs": 1, "batch_size": 10})
    train_story(run, kitchen.parent, tmp_path, quiet=True)
    writer = StoryWriter.load(tmp_path)
    assert writer.config.model.letters.lower() == preset.removeprefix("small-")
    truth, track, events = video(50)
    assert writer.write([writer.prepare(events, truth.ingredients, track)])[0].steps
    silent = type(events)(events.spans, events.scores, events.duration)
    with pytest.raises(BadValueError, match="reads a caption of each candidate"):
        writer.prepare(silent, (), track)


def test_word_vectors_reach_the_tables(kitchen: Path) -> None:
    run = run_of(kitchen)
    task = make_task(run, read_material(run, kitchen.parent))
    vectors = np.load(kitchen.parent / "vectors.npz")
    row = vectors["vectors"][list(vectors["words"]).index("rice")]
    table = task.model.generator.embedding.table.weight[task.vocabulary.number["rice"]].detach().numpy()
    assert np.array_equal(table, row)
    # "soup" is in no film, but can be read in a list of ingredients.
    soup = task.config.read_words.index("soup")
    assert task.model.selector_ingredients.table.weight[soup].abs().sum() > 0
    assert task.model.selector_ingredients.table.weight[0].abs().sum() == 0


def test_development_videos_are_not_learnt_from(kitchen: Path) -> None:
    run = run_of(kitchen)
    material = read_material(run, kitchen.parent)
    task = make_task(run, material)
    held_out = {video.id for video, _ in task.development}
    learnt = {id(example.input.candidates) for example in task.examples}
    assert len(held_out) == 5
    assert len(task.examples) == 19
    assert not {id(material.candidates[key]) for key in held_out} & learnt


def test_commands_train_and_predict(kitchen: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, out = tmp_path / "model", tmp_path / "predictions.json"
    assert "epoch" in run_command("train", "story", "--config", kitchen, "--out", folder, "--preset", "small-bi")
    ingredients = tmp_path / "ingredients.json"
    ingredients.write_text(json.dumps({f"film{n:02d}": ["carrots"] for n in range(20)}))
    base = kitchen.parent
    inputs = ("--candidates", base / "candidates.json", "--features", base / "features", "--ingredients", ingredients)
    predict = ("predict", "--model", folder, *inputs, "--out", out)
    printed = run_command(*predict, "--beam", 2, "--order", "start")
    assert "24 videos, model BI" in printed
    assert "no ingredients for 4 videos" in printed
    predicted = read_predictions(out)
    assert len(predicted) == 24
    assert all(len(events) >= 1 for events in predicted.values())
    assert all((np.diff(events.spans[:, 0]) >= 0).all() for events in predicted.values())
    monkeypatch.setattr(predicting, "DECODING_BATCH", 10)  # three batches
    shared = tmp_path / "shared.json"
    run_command(*predict[:-1], shared, "--beam", 2, "--order", "start", "--workers", 2)
    assert shared.read_bytes() == out.read_bytes()
    assert "model BI and 1 more" in run_command(*predict, "--selection", "chain", "--model", folder)
    offered = read_candidate_file(base / "candidates.json")
    planned = read_predictions(out)
    # A planned story has refined borders, so that they are nobody's own.
    assert all(np.isin(predicted[key].spans, offered[key].spans).all() for key in offered)
    assert not all(np.isin(planned[key].spans, offered[key].spans).all() for key in offered)
    with pytest.raises(BadValueError):
        run_command(*predict, "--selection", "everything")


def test_wrong_inputs_are_typed_errors(kitchen: Path, learnt: Path, tmp_path: Path) -> None:
    write_truth(kitchen.parent / "other.json", [video(77)[0]])
    with pytest.raises(BadValueError, match="no annotated video has both"):
        read_material(run_of(kitchen, data="other.json"), kitchen.parent)
    with pytest.raises(BadValueError, match="not a preset"):
        make_task(run_of(kitchen, preset="small-x"), read_material(run_of(kitchen), kitchen.parent))
    truth, track, events = video(3)
    writer = StoryWriter.load(learnt)
    wide = type(track)(track.times, np.zeros((len(track.times), 5), "f4"), track.encoder, track.duration)
    with pytest.raises(BadValueError, match="have 5 columns, the model reads 12"):
        writer.prepare(events, truth.ingredients, wide)
    other = type(track)(track.times, track.values, "tsn", track.duration)
    with pytest.raises(BadValueError, match="trained on 'made-up'"):
        writer.prepare(events, truth.ingredients, other)
    broken = tmp_path / "broken"
    shutil.copytree(learnt, broken)
    description = json.loads((broken / "config.json").read_text())
    description["config"]["actions"] = ["fry"]
    (broken / "config.json").write_text(json.dumps(description))
    with pytest.raises(CookscribeError, match="1 actions, but the model has"):
        StoryWriter.load(broken)
    (broken / "vocabulary.json").unlink()
    (broken / "config.json").write_bytes((learnt / "config.json").read_bytes())
    with pytest.raises(BadFileError, match="vocabulary"):
        StoryWriter.load(broken)


def test_models_of_other_words_do_not_write_along(kitchen: Path, learnt: Path, tmp_path: Path) -> None:
    writer = StoryWriter.load(learnt, members=[learnt])
    truth, track, events = video(104)
    given = [writer.prepare(events, truth.ingredients, track)]
    sentences = [[step.sentence for step in w.write(given)[0].steps] for w in (writer, StoryWriter.load(learnt))]
    assert sentences[0] == sentences[1] != []
    training = {"epochs": 1, "batch_size": 4, "evaluate_every": 1}
    wider, otherwise = tmp_path / "wider", tmp_path / "otherwise"
    train_story(run_of(kitchen, training=training, model={"width": 48}), kitchen.parent, wider, quiet=True)
    with pytest.raises(BadValueError, match="wider: its model is not that of the model"):
        StoryWriter.load(learnt, members=[wider])
    shutil.copytree(learnt, otherwise)
    words = json.loads((learnt / "vocabulary.json").read_text())
    (otherwise / "vocabulary.json").write_text(
        json.dumps(words | {"words": [*words["words"][:4], *words["words"][:3:-1]]})
    )
    with pytest.raises(CookscribeError, match="otherwise: its words are not those"):
        StoryWriter.load(learnt, members=[otherwise])


def test_a_head_start_knows_the_words_of_unseen_events_and_repeats_exactly(kitchen: Path) -> None:
    material = read_material(run_of(kitchen), kitchen.parent)
    plain, started, again = (make_task(run_of(kitchen, word_epochs=n), material) for n in (0, 40, 40))
    for a, b in zip(started.model.parameters(), again.model.parameters(), strict=True):
        assert torch.equal(a, b)
    changed = {
        n.split(".")[0]
        for (n, a), b in zip(plain.model.named_parameters(), started.model.parameters(), strict=True)
        if not torch.equal(a, b)
    }
    assert changed == {"selector", "output"}

    def surprise(task: StoryTask, shift: int) -> float:
        """Of the words of new films, at their events, or at those of the film `shift` places on."""
        films = [video(number) for number in range(200, 212)]
        reader = StoryWriter(task.model, task.config, task.vocabulary)
        total = []
        for n, (truth, _, _) in enumerate(films):
            seen = reader.prepare(films[n - shift][2], (), films[n - shift][1])
            labels = oracle_labels(films[n - shift][0].spans, films[n - shift][2].spans, "story")
            rows = torch.as_tensor(seen.features[labels[labels >= 0]]).float()[: len(truth.sentences)]
            ids = [task.vocabulary.encode(text, 20)[1:-1] for text in truth.sentences[: len(rows)]]
            wanted = torch.stack([F.one_hot(torch.tensor(i), len(task.vocabulary)).sum(0) / len(i) for i in ids])
            total.append(bag_loss(task.model.eval(), rows[: len(ids)], wanted).item())
        return float(np.mean(total))

    assert surprise(started, 0) < 0.7 * surprise(plain, 0)
    assert surprise(started, 0) < 0.8 * surprise(started, 1)


def test_recipes_of_similar_length_share_a_batch_and_none_is_lost(kitchen: Path) -> None:
    run = run_of(kitchen, training={"batch_size": 3})
    task = make_task(run, read_material(run, kitchen.parent))
    for epoch in range(2):
        batches = task.batches(epoch)
        assert sorted(i for batch in batches for i in batch) == list(range(len(task.examples)))
        assert batches == task.batches(epoch)
    assert task.batches(0) != task.batches(1)
    lengths = [[len(task.examples[i].truth) for i in batch] for batch in task.batches(0)]
    shuffled_order = shuffled(len(task.examples), 3, 0, 0)
    mixed = [[len(task.examples[i].truth) for i in batch] for batch in shuffled_order]
    assert sum(map(max, lengths)) <= sum(map(max, mixed))
