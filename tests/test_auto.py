"""`--model auto`: which film goes where, and what is said when none fits. No real network listens here."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import cookscribe.auto as auto
from cookscribe.auto import DRAWN, NARRATED, AutoScribe, NoModelFitsError, told_by, unusable
from cookscribe.cli import build_app
from cookscribe.datasets.transcripts import Transcript
from cookscribe.errors import MissingDependencyError
from cookscribe.kitchen.drawing.film import LABEL
from cookscribe.recipe import Recipe, Span, Step, Video
from cookscribe.video import VideoFile, write_video

TALK = "today we chop the onions and then fry them in butter until soft and after that stir in the rice and boil it"
CHATTER = "hello my friends it is so good to see you all again here on this lovely sunny morning by the blue sea"


def film(path: Path, *, comment: str = "", sound: bool = True) -> Path:
    frames = [(n / 5, np.full((32, 48, 3), 40 + n, dtype=np.uint8)) for n in range(10)]
    samples = np.zeros(32_000, dtype=np.float32) if sound else None
    return write_video(path, frames, samples, rate=5.0, metadata={"comment": comment} if comment else {})


class Told:
    """A scribe that only remembers what it was asked for."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.asked: list[dict[str, Any]] = []

    def write(self, video: str | Path, ingredients: Sequence[str] | None = None, *_: Any, **more: Any) -> Recipe:
        self.asked.append({"video": video, "ingredients": ingredients, **more})
        step = Step(span=Span(start=0, end=1), sentence=f"told by {self.name}")
        return Recipe(title="x", steps=(step,), video=Video(name="x.mp4", duration=2))


def saying(text: str) -> Any:
    return lambda video, _: Transcript.from_text(text, video.duration)


def chooser(text: str, names: Sequence[str] = (DRAWN, NARRATED)) -> tuple[AutoScribe, dict[str, Told]]:
    opened: dict[str, Told] = {}
    return AutoScribe(saying(text), names, lambda name: opened.setdefault(name, Told(name))), opened


def test_a_drawn_film_goes_to_the_kitchen_and_nobody_listens(tmp_path: Path) -> None:
    path = film(tmp_path / "drawn.mp4", comment=f"{LABEL} (seed 7, number 0)")
    assert VideoFile(path).info.comment == f"{LABEL} (seed 7, number 0)"
    scribe, opened = chooser(TALK)
    scribe._given = None  # would have to load the recogniser
    assert scribe.write(path, ["rice"]).steps[0].sentence == "told by kitchen"
    assert opened[DRAWN].asked == [{"video": path, "ingredients": ["rice"]}]


def test_a_narrated_film_goes_to_the_speech_bundle_with_its_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cookscribe.speech.scribe.SpeechScribe", Told)
    scribe, opened = chooser(TALK)
    path = film(tmp_path / "real.mp4")
    assert scribe.write(path).steps[0].sentence == f"told by {NARRATED}"
    assert opened[NARRATED].asked[0]["transcript"].text == TALK
    scribe.write(path)
    assert len(opened[NARRATED].asked) == 2  # loaded once, used twice


@pytest.mark.parametrize(("text", "reason"), [("", "nobody speaks"), ("add salt", "only 2 words"), (CHATTER, "hardly")])
def test_without_usable_speech_it_says_so(tmp_path: Path, text: str, reason: str) -> None:
    scribe, opened = chooser(text)
    with pytest.raises(NoModelFitsError, match=reason) as refused:
        scribe.write(film(tmp_path / "real.mp4"))
    assert refused.value.exit_code == 2
    assert "--transcript" in refused.value.advice
    assert not opened


def test_cooking_talk_is_usable() -> None:
    assert unusable(Transcript.from_text(TALK, 60.0)) is None


def test_a_silent_film_is_refused_before_anything_is_loaded(tmp_path: Path) -> None:
    with pytest.raises(NoModelFitsError, match="has no sound"):
        AutoScribe(names=(DRAWN, NARRATED)).write(film(tmp_path / "real.mp4", sound=False))


@pytest.mark.parametrize(("comment", "name"), [(LABEL, DRAWN), ("", NARRATED)])
def test_a_bundle_that_is_not_installed_is_named(tmp_path: Path, comment: str, name: str) -> None:
    scribe, _ = chooser(TALK, names=())
    with pytest.raises(NoModelFitsError, match=f"'{name}' is not installed"):
        scribe.write(film(tmp_path / "film.mp4", comment=comment))


def test_missing_recogniser_is_told_plainly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise MissingDependencyError("whisper weights", "not found on this machine", "pip install something")

    monkeypatch.setattr("cookscribe.encoders.speech.Whisper", missing)
    with pytest.raises(MissingDependencyError, match=r"must be listened to.*whisper weights.*pip install something"):
        AutoScribe(names=(DRAWN, NARRATED)).write(film(tmp_path / "real.mp4"))


def test_the_command_goes_on_after_a_refusal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = Told("kitchen")
    monkeypatch.setattr(auto, "shipped", lambda: (DRAWN,))
    monkeypatch.setattr(AutoScribe, "_scribe", lambda *_: told)
    silent = film(tmp_path / "silent.mp4", sound=False)
    drawn = film(tmp_path / "drawn.mp4", comment=LABEL)
    result = CliRunner().invoke(build_app(), ["write", str(silent), str(drawn)])
    assert result.exit_code == 2, result.output
    assert "has no sound" in " ".join(result.output.split())
    assert "told by kitchen" in result.output


def test_subtitles_save_the_listening(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cookscribe.speech.scribe.SpeechScribe", Told)
    told = Told(NARRATED)
    scribe = AutoScribe(names=(NARRATED,), open_bundle=lambda _: told)
    path = film(tmp_path / "real.mp4", sound=False)
    cue = f"WEBVTT\n\n00:00.000 --> 00:02.000\n{TALK}\n"
    path.with_suffix(".vtt").write_text(cue)
    scribe.write(path)
    elsewhere = tmp_path / "words" / "other.srt"
    elsewhere.parent.mkdir()
    elsewhere.write_text(f"1\n00:00:00,000 --> 00:00:02,000\n{CHATTER} {TALK}\n")
    AutoScribe(told_by(elsewhere), names=(NARRATED,), open_bundle=lambda _: told).write(path)
    assert [asked["transcript"].text for asked in told.asked] == [TALK, f"{CHATTER} {TALK}"]
