"""From a made-up dataset to a bundle, from a subtitle file to a recipe, and the table of the study."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from cookscribe.bundle import Bundle
from cookscribe.candidates import Candidates
from cookscribe.cli import build_app
from cookscribe.errors import BadValueError
from cookscribe.learning.datasets.records import AnnotatedVideo
from cookscribe.learning.datasets.root import YouCook2
from cookscribe.learning.narrated.build_bundle import SpeechFolder
from cookscribe.learning.narrated.run import SpeechRun, make_task
from cookscribe.learning.narrated.task import Augmentation, RewardConfig, Sampler, SpeechExample, moved_spans
from cookscribe.pipelines.speech import SpeechPipeline, named_in
from cookscribe.recipe import Recipe, Video
from cookscribe.scribe import assemble, load
from cookscribe.senses.event_words import GIVEN, HEARD_NAME
from cookscribe.senses.listening import recogniser_from_file
from cookscribe.senses.subtitles import read_transcript
from cookscribe.senses.transcripts import Transcript
from cookscribe.story import StoryStep
from cookscribe.text.vocabulary import UNK, Vocabulary
from cookscribe.video import probe
from cookscribe.video.writing import write_video
from tests.broken_films import cut, streamable
from tests.learning.made_up_youcook2 import write_folder

LINES = ("chop the onion", "now we fry the onion", "and boil the rice", "mix in the egg", "then bake it")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_folder(tmp_path_factory.mktemp("narrated") / "data", training=26, validation=4)


@pytest.fixture(scope="module")
def folder(data: Path) -> SpeechFolder:
    run = SpeechRun(
        model={"width": 32, "heads": 2, "dropout": 0.0},
        training={"epochs": 10, "batch_size": 4, "learning_rate": 0.01, "evaluate_every": 10},
        reward={"epochs": 1, "trials": 2},
        min_count=1,
    )
    return SpeechFolder(YouCook2(data), data.parent / "models", run, {"epochs": 2}, quiet=True)


@pytest.fixture(scope="module")
def bundle(folder: SpeechFolder) -> Bundle:
    return folder.pack(0, "made-up", "made-up films", 0.99)


def _subtitles(path: Path, minutes: int = 2) -> Path:
    cues = ["WEBVTT", ""]
    for number in range(12 * minutes):
        start = number * 5
        clock = f"00:{start // 60:02d}:{start % 60:02d}"
        end = f"00:{(start + 4) // 60:02d}:{(start + 4) % 60:02d}"
        cues += [f"{clock}.000 --> {end}.500", LINES[number * len(LINES) // (12 * minutes)], ""]
    path.write_text("\n".join(cues))
    return path


def written(bundle: Bundle, transcript: Transcript, ingredients: Sequence[str] = ()) -> Recipe:
    """The recipe of two minutes in which these words are said."""
    draft = SpeechPipeline.load(bundle).draft_of(transcript, 120.0, ingredients)
    video = Video(name="soup.mp4", duration=120.0)
    return assemble(draft, bundle.config, video, "Soup", listed=bool(ingredients))


def test_a_subtitle_file_becomes_a_recipe(bundle: Bundle, tmp_path: Path) -> None:
    transcript = read_transcript(_subtitles(tmp_path / "soup.vtt"), 120.0)
    recipe = written(bundle, transcript)
    assert 2 <= len(recipe.steps) <= 8
    assert recipe.made_by.model == "made-up"
    assert set(recipe.ingredients) <= {"onion", "rice", "egg", "milk", "flour"}
    assert recipe.evidence is not None
    assert len(recipe.evidence.steps) == len(recipe.steps)
    assert any("weak" in note for note in recipe.warnings)
    assert any("heard" in note for note in recipe.warnings)
    # It has learnt to say what is done: the verbs are those said around their span, of which there are two of five.
    right = sum(
        step.sentence.split()[0] in transcript.between(step.span.start - 10, step.span.end + 10)
        for step in recipe.steps
    )
    assert right >= len(recipe.steps) * 2 / 3
    recipe.save(tmp_path / "recipe.json")
    assert Recipe.load(tmp_path / "recipe.json") == recipe
    listed = written(bundle, transcript, ["onion", "rice"])
    assert listed.ingredients == ("onion", "rice")


@pytest.fixture(scope="module")
def damaged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A film of two minutes, of which the first one or so can be read, with subtitles of all of it."""
    folder = tmp_path_factory.mktemp("damaged")
    frames = ((float(n), np.full((32, 48, 3), 2 * n, dtype=np.uint8)) for n in range(120))
    noise = np.random.default_rng(0).normal(0, 0.1, 120 * 16_000).astype(np.float32)
    whole = write_video(folder / "whole.mp4", frames, noise, rate=1.0)
    film = cut(streamable(whole, folder / "streamable.mp4"), folder / "soup.mp4", 0.5)
    _subtitles(folder / "soup.vtt")
    return film


@pytest.mark.parametrize("way", ["beside", "given", "recognised"])
def test_a_film_that_ends_early_says_so(
    bundle: Bundle, damaged: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    loaded: list[str] = []

    def whisper(device: str | None) -> Any:
        assert device is None
        loaded.append("whisper")
        return recogniser_from_file(damaged.with_suffix(".vtt"))

    monkeypatch.setattr("cookscribe.senses.listening.Whisper", whisper)
    films = [damaged]
    if way != "beside":
        films = [tmp_path / "one.mp4", tmp_path / "two.mp4"][: 1 if way == "given" else 2]
        for film in films:
            film.write_bytes(damaged.read_bytes())
    words = ["write", *films, "--model", bundle.folder, "--formats", "json,html", "--out", tmp_path / "out"]
    if way == "given":
        words += ["--transcript", damaged.with_suffix(".vtt")]
    result = CliRunner().invoke(build_app(), [str(word) for word in words])
    assert result.exit_code == 0, result.output
    assert loaded == (["whisper"] if way == "recognised" else [])  # once for both films
    readable = probe(damaged).readable
    assert 30 < readable < 90
    for film in films:
        recipe = Recipe.load(tmp_path / "out" / f"{film.stem}.recipe.json")
        assert recipe.steps
        assert recipe.steps[-1].span.end <= recipe.video.duration == readable
        page = (tmp_path / "out" / f"{film.stem}.html").read_text()
        for text in (result.output, " ".join(recipe.warnings), page):
            assert f"only the first {readable:.1f} s can be read" in " ".join(text.split())


def test_nothing_heard_in_a_damaged_film_is_not_called_silence(bundle: Bundle, damaged: Path) -> None:
    recipe = load(bundle.folder).write(damaged, transcript=Transcript((), np.zeros((0, 2)), timed=True))
    assert recipe.steps == ()
    assert "can be read" in recipe.warnings[0]
    assert not any("nobody speaks" in note for note in recipe.warnings)


def test_silence_and_untimed_words_are_told(bundle: Bundle) -> None:
    silent = written(bundle, Transcript((), np.zeros((0, 2)), timed=True))
    assert silent.steps == ()
    assert "nobody speaks" in silent.warnings[0]
    untimed = written(bundle, Transcript.from_text(" ".join(LINES), 120.0))
    assert untimed.steps
    assert any("spread over the film" in note for note in untimed.warnings)


def test_bundle_is_small_and_its_parts_must_belong_together(bundle: Bundle) -> None:
    assert bundle.config.kind == "speech"
    assert (bundle.folder / "README.md").read_text().startswith("# made-up")
    words = bundle.folder / "listener" / "words.json"
    kept = words.read_text()
    try:
        words.write_text(json.dumps([f"{word}x" for word in json.loads(kept)]))
        with pytest.raises(BadValueError, match="other words"):
            SpeechPipeline.load(bundle)
    finally:
        words.write_text(kept)


def test_a_finished_training_is_not_done_again(
    folder: SpeechFolder, bundle: Bundle, monkeypatch: pytest.MonkeyPatch
) -> None:
    del bundle
    again = SpeechFolder(folder.data, folder.out, folder.run, folder.spans, quiet=True)
    monkeypatch.setattr("cookscribe.learning.narrated.task.SpeechTask.losses", lambda *_: pytest.fail("trained again"))
    monkeypatch.setattr(
        "cookscribe.learning.narrated.span_task.SpanTask.losses", lambda *_: pytest.fail("trained again")
    )
    assert again.writer(0).is_dir()


def _sampler(folder: SpeechFolder, **augmentation: float) -> tuple[Sampler, SpeechExample]:
    listener = folder.listener
    transcript = Transcript.from_text("now chop the onion and boil the rice with saffron", 40.0)
    video = AnnotatedVideo(
        "v",
        40.0,
        np.array([[5.0, 15.0], [20.0, 30.0]]),
        ("chop the onion", "boil the rice with zzz"),
        ("onion", "rice"),
    )
    proposals = Candidates(np.array([[4.0, 14.0], [18.0, 33.0], [36.0, 39.0]]), np.full(3, 0.5), 40.0)
    example = SpeechExample(video, listener.listen(transcript, 40.0), proposals)
    vocabulary = Vocabulary.build(["chop the onion", "boil"], 1)
    return Sampler(listener, vocabulary, Augmentation(**augmentation), 20), example


def test_events_of_an_epoch(folder: SpeechFolder) -> None:
    rng = np.random.default_rng(0)
    sampler, example = _sampler(folder, moved=0.0, proposed=0.0, skipped=0.0)
    assert np.array_equal(sampler.draw(example, rng)[0].candidates.spans, example.truth.spans)
    sampler, _ = _sampler(folder, moved=0.0, proposed=1.0, skipped=0.0)
    assert sampler.draw(example, rng)[0].candidates.spans.tolist() == [[4.0, 14.0], [18.0, 33.0]]
    sampler, _ = _sampler(folder, moved=1.0, proposed=0.0, skipped=0.0)
    moved = sampler.draw(example, rng)[0].candidates.spans
    assert not np.allclose(moved, example.truth.spans)
    wild = moved_spans(example.truth.spans, 40.0, 5.0, rng)
    assert (wild >= 0).all()
    assert (wild <= 40).all()
    assert (wild[:, 1] > wild[:, 0]).all()


def test_ingredient_lists_are_dropped_as_often_as_asked(folder: SpeechFolder) -> None:
    sampler, example = _sampler(folder, without_ingredients=0.6, forgotten=0.0)
    rng = np.random.default_rng(1)
    listed = 0
    for _ in range(200):
        heard = sampler.draw(example, rng)[0].copy_words
        assert heard is not None
        given = (heard[..., 1] >= GIVEN) & (heard[..., 1] < HEARD_NAME)
        assert given.any() != (heard[..., 1] >= HEARD_NAME).any()
        listed += given.any()
    assert 55 <= listed <= 105


def test_lists_are_shuffled_as_often_as_asked(folder: SpeechFolder) -> None:
    def first_names(share: float) -> list[int]:
        sampler, example = _sampler(folder, without_ingredients=0.0, forgotten=0.0, shuffled=share)
        rng = np.random.default_rng(2)
        tables = [sampler.draw(example, rng)[0].copy_words for _ in range(60)]
        return [int(table[0, 0, 0]) for table in tables if table is not None]

    onion = folder.listener.space.number["onion"]
    assert set(first_names(0.0)) == {onion}
    assert 15 <= sum(name != onion for name in first_names(1.0)) <= 45


def test_only_the_last_epochs_are_rewarded(folder: SpeechFolder) -> None:
    def losses(epochs: int, epoch: int) -> set[str]:
        run = folder.run.model_copy(update={"training": {"epochs": epochs}, "reward": RewardConfig(epochs=2, trials=2)})
        task = make_task(run, folder.material, 0)
        return {name for name, term in task.losses([0, 1], epoch).items() if term.divisor}

    assert losses(6, 3) == {"sentence"}
    assert losses(6, 4) == {"sentence", "reward"}
    # A short training has no more than half of them, and one epoch has none.
    assert losses(3, 1) == {"sentence"}
    assert losses(1, 0) == {"sentence"}


def test_words_beyond_the_vocabulary_have_ids_behind_it(folder: SpeechFolder) -> None:
    sampler, _ = _sampler(folder)
    size, read = len(sampler.vocabulary), folder.listener.space.number
    number = sampler.vocabulary.number
    assert sampler.spelled("boil rice zzz")[1:-1] == (number["boil"], size + read["rice"], UNK)


def test_study_runs_by_its_command(data: Path, tmp_path: Path) -> None:
    result = CliRunner().invoke(
        build_app(), ["study", "narrated", "--data", str(data), "--out", str(tmp_path), "--smoke"]
    )
    assert result.exit_code == 0, result.output
    table = (tmp_path / "narrated.md").read_text()
    for row in (
        "PDVC, published events",
        "nearest neighbour, heard events",
        "ours, heard events, no list",
        "ours, published events, shuffled list",
    ):
        assert f"| {row} |" in table
    assert "paper: BIVT" in table
    report = json.loads((tmp_path / "reports" / "PDVC-published.json").read_text())
    assert 0 < report["all"]["distinct"] <= 100


def test_the_list_of_a_recipe_holds_a_name_once() -> None:
    told = [
        StoryStep(n, np.array([n, n + 1.0]), text, np.zeros(2), -1.0)
        for n, text in enumerate(("chop the onions", "fry the onion in butter", "serve"))
    ]
    assert named_in(told, ("onion", "onions", "butter", "rice")) == ["onion", "butter"]
