"""From a made-up dataset to a bundle, and from a subtitle file to a recipe."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cookscribe.bundle import Bundle
from cookscribe.errors import BadValueError
from cookscribe.learning.datasets.root import YouCook2
from cookscribe.learning.narrated.build_bundle import SpeechFolder
from cookscribe.learning.narrated.run import SpeechRun
from cookscribe.pipelines.speech import SpeechPipeline
from cookscribe.pipelines.step_signs import StepConfidence
from cookscribe.recipe import Recipe, Video
from cookscribe.scribe import assemble, load
from cookscribe.senses.listening import recogniser_from_file
from cookscribe.senses.subtitles import read_transcript
from cookscribe.senses.transcripts import Transcript
from cookscribe.video import probe
from tests.broken_films import brightening, cut, noise, streamable
from tests.command import run_command
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
    return SpeechFolder(YouCook2(data), data.parent / "models", run, {"epochs": 2}, members=1, quiet=True)


@pytest.fixture(scope="module")
def bundle(folder: SpeechFolder) -> Bundle:
    return folder.pack(0, "made-up", "made-up films", 0.99)


def _subtitles(path: Path) -> Path:
    """Two minutes of them."""
    cues = ["WEBVTT"]
    for number in range(24):
        minutes, seconds = divmod(number * 5, 60)
        times = f"{minutes:02d}:{seconds:02d}.000 --> {minutes:02d}:{seconds + 4:02d}.500"
        cues.append(f"{times}\n{LINES[number * len(LINES) // 24]}")
    path.write_text("\n\n".join(cues))
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
    whole = brightening(folder / "whole.mp4", 120, 1.0, noise(120))
    film = cut(streamable(whole, folder / "streamable.mp4"), folder / "soup.mp4", 0.5)
    _subtitles(folder / "soup.vtt")
    return film


@pytest.mark.parametrize("way", ["beside", "given", "recognised"])
def test_a_film_that_ends_early_says_so(
    bundle: Bundle, damaged: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    loaded: list[str] = []

    def whisper(device: str | None, name: str = "tiny") -> Any:
        assert (device, name) == (None, "tiny")
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
    printed = run_command(*words)
    assert loaded == (["whisper"] if way == "recognised" else [])  # once for both films
    readable = probe(damaged).readable
    assert 30 < readable < 90
    for film in films:
        recipe = Recipe.load(tmp_path / "out" / f"{film.stem}.recipe.json")
        assert recipe.steps
        assert recipe.steps[-1].span.end <= recipe.video.duration == readable
        page = (tmp_path / "out" / f"{film.stem}.html").read_text()
        for text in (printed, " ".join(recipe.warnings), page):
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


def test_calibration_is_of_the_writer_that_is_named(bundle: Bundle, data: Path) -> None:
    kept = StepConfidence.of(bundle.folder)
    printed = run_command("train", "calibration", "--model", bundle.folder, "--data", data)
    assert "without the list" in printed
    # The same models on the same videos teach the same again.
    again = StepConfidence.of(bundle.folder)
    assert (*again.weights, again.shift) == pytest.approx((*kept.weights, kept.shift))
    with pytest.raises(BadValueError, match="has no language-model writer"):
        run_command("train", "calibration", "--model", bundle.folder, "--data", data, "--language-model")
