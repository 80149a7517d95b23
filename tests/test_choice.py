"""`--model auto`: which film goes where, and what is said when none fits. No real network listens here."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cookscribe.pipelines.choice
import cookscribe.scribe
from cookscribe.bundle import Bundle, find_bundle
from cookscribe.errors import MissingDependencyError, NoModelFitsError
from cookscribe.pipelines.base import SIMULATED_LABEL, Draft, Request
from cookscribe.pipelines.choice import DRAWN
from cookscribe.pipelines.narration import without_narration
from cookscribe.scribe import Scribe
from cookscribe.senses.listening import Listening, recogniser_from_file
from cookscribe.senses.recogniser import Recogniser
from cookscribe.senses.transcripts import Transcript
from cookscribe.story import StoryStep
from cookscribe.video import Limits, VideoFile, VideoInfo, probe
from cookscribe.video.writing import write_video
from tests.broken_films import brightening, cut, noise, spoiled, streamable
from tests.command import run_command

NARRATED, SIGHT = "youcook2-speech", "youcook2-sight"
TALK = "today we chop the onions and then fry them in butter until soft and after that stir in the rice and boil it"
CHATTER = "hello my friends it is so good to see you all again here on this lovely sunny morning by the blue sea"


def film(path: Path, *, comment: str = "", sound: bool = True) -> Path:
    samples = np.zeros(32_000, dtype=np.float32) if sound else None
    return brightening(path, 2, 5.0, samples, metadata={"comment": comment} if comment else {})


class Told:
    """A pipeline that only remembers what it was asked for."""

    def __init__(self, bundle: Bundle) -> None:
        self.bundle = bundle
        self.asked: list[Request] = []

    def draft(self, request: Request) -> Draft:
        self.asked.append(request)
        sentence = f"told by {self.bundle.config.name}"
        step = StoryStep(0, np.array([0.0, 1.0]), sentence, np.zeros(2), 0.0)
        return Draft((step,), (0.5,), None, (), request.ingredients, ())

    def without_cooking(self, request: Request) -> str | None:
        return None if "cooking" in request.film.path.name else "no food or cooking is seen in it"


def saying(text: str) -> Any:
    return lambda video, _: Transcript.from_text(text, video.duration)


def auto(recogniser: Recogniser | None = None) -> tuple[Scribe, dict[str, Told]]:
    """The scribe of the bundle `auto`, and the pipelines it has opened by name."""
    opened: dict[str, Told] = {}
    scribe = Scribe(
        find_bundle("auto"),
        recogniser=recogniser,
        open_pipeline=lambda bundle, _: opened.setdefault(bundle.config.name, Told(bundle)),
    )
    return scribe, opened


def test_a_drawn_film_goes_to_the_kitchen_and_nobody_listens(tmp_path: Path) -> None:
    comment = f"{SIMULATED_LABEL}: nobody cooked this (seed 7, number 0)"
    path = film(tmp_path / "drawn.mp4", comment=comment)
    assert VideoFile(path).info.comment == comment
    scribe, opened = auto(lambda *_: pytest.fail("somebody listened"))
    assert scribe.write(path, ["rice"]).steps[0].sentence == "told by kitchen"
    assert [(asked.film.path, asked.ingredients) for asked in opened[DRAWN].asked] == [(path, ["rice"])]


def test_a_narrated_film_goes_to_the_speech_bundle_with_its_words(tmp_path: Path) -> None:
    scribe, opened = auto(saying(TALK))
    path = film(tmp_path / "real.mp4")
    assert scribe.write(path).steps[0].sentence == f"told by {NARRATED}"
    assert opened[NARRATED].asked[0].transcript.text == TALK
    scribe.write(path)
    assert len(opened[NARRATED].asked) == 2  # loaded once, used twice


@pytest.mark.parametrize(("text", "reason"), [("", "nobody speaks"), ("add salt", "only 2 words"), (CHATTER, "hardly")])
def test_without_usable_speech_it_says_so(tmp_path: Path, text: str, reason: str) -> None:
    scribe, opened = auto(saying(text))
    with pytest.raises(NoModelFitsError, match=reason) as refused:
        scribe.write(film(tmp_path / "real.mp4"))
    assert refused.value.exit_code == 2
    assert "no food or cooking is seen in it" in refused.value.cause
    assert "--transcript" in refused.value.advice
    assert list(opened) == [SIGHT]
    assert not opened[SIGHT].asked


def test_cooking_talk_is_usable(tmp_path: Path) -> None:
    path = film(tmp_path / "real.mp4")
    assert without_narration(Request(VideoFile(path), (), lambda: Listening(saying(TALK)))) is None


def test_a_silent_film_is_looked_at(tmp_path: Path) -> None:
    scribe, opened = auto()
    recipe = scribe.write(film(tmp_path / "cooking.mp4", sound=False), ["tofu"], "mapo tofu")
    assert recipe.steps[0].sentence == f"told by {SIGHT}"
    assert [(asked.title, asked.ingredients) for asked in opened[SIGHT].asked] == [("mapo tofu", ["tofu"])]
    with pytest.raises(NoModelFitsError, match="has no sound, and no food or cooking is seen in it"):
        scribe.write(film(tmp_path / "traffic.mp4", sound=False))


def test_without_eyes_the_command_that_gets_them_is_named(tmp_path: Path) -> None:
    def blind(*_: object) -> Told:
        raise MissingDependencyError("tinyvit weights", "not found", "cookscribe weights get tinyvit")

    scribe = Scribe(find_bundle("auto"), open_pipeline=blind)
    with pytest.raises(MissingDependencyError, match=r"has no sound, so it must be looked at.*weights get tinyvit"):
        scribe.write(film(tmp_path / "cooking.mp4", sound=False))


def test_a_bundle_that_is_not_installed_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scribe, opened = auto(saying(TALK))
    monkeypatch.setattr(cookscribe.pipelines.choice, "shipped", lambda: {NARRATED: Path()})
    with pytest.raises(NoModelFitsError, match="'kitchen' is not installed"):
        scribe.write(film(tmp_path / "drawn.mp4", comment=SIMULATED_LABEL))
    assert not opened
    assert scribe.write(film(tmp_path / "real.mp4")).steps[0].sentence == f"told by {NARRATED}"


def test_missing_recogniser_is_told_plainly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(**_: Any) -> None:
        raise MissingDependencyError("whisper weights", "not found on this machine", "pip install something")

    monkeypatch.setattr("cookscribe.senses.listening.Whisper", missing)
    with pytest.raises(MissingDependencyError, match=r"must be listened to.*whisper weights.*pip install something"):
        auto()[0].write(film(tmp_path / "real.mp4"))


def test_the_command_goes_on_after_a_refusal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cookscribe.scribe, "load_pipeline", lambda bundle, _: Told(bundle))
    silent = film(tmp_path / "silent.mp4", sound=False)
    drawn = film(tmp_path / "drawn.mp4", comment=SIMULATED_LABEL)
    printed = run_command("write", silent, drawn, exit_code=2)
    assert "has no sound" in " ".join(printed.split())
    assert "Told by kitchen" in printed


def test_subtitles_save_the_listening(tmp_path: Path) -> None:
    path = film(tmp_path / "real.mp4", sound=False)
    cue = f"WEBVTT\n\n00:00.000 --> 00:02.000\n{TALK}\n"
    path.with_suffix(".vtt").write_text(cue)
    elsewhere = tmp_path / "words" / "other.srt"
    elsewhere.parent.mkdir()
    elsewhere.write_text(f"1\n00:00:00,000 --> 00:00:02,000\n{CHATTER} {TALK}\n")
    for recogniser, words in ((None, TALK), (recogniser_from_file(elsewhere), f"{CHATTER} {TALK}")):
        scribe, opened = auto(recogniser)
        scribe.write(path)
        assert [asked.transcript.text for asked in opened[NARRATED].asked] == [words]


def loud(path: Path) -> Path:
    """Twelve seconds, most of whose bytes are sound."""
    frames = ((n / 5, np.full((32, 48, 3), 40 + n, dtype=np.uint8)) for n in range(60))
    return write_video(path, frames, noise(12), rate=5.0, options={"g": "5"})


@pytest.fixture(scope="module")
def damaged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A film of twelve seconds of which about half is there."""
    folder = tmp_path_factory.mktemp("damaged")
    return cut(streamable(loud(folder / "whole.mp4"), folder / "streamable.mp4"), folder / "film.mp4", 0.6)


@pytest.mark.parametrize("beside", [True, False])
def test_damage_is_told_whoever_heard_the_words(damaged: Path, tmp_path: Path, beside: bool) -> None:
    path = tmp_path / "real.mp4"
    path.write_bytes(damaged.read_bytes())
    words = tmp_path / ("real.vtt" if beside else "other.vtt")
    # Subtitles of the whole film: what is said after the readable part is left out.
    words.write_text(f"WEBVTT\n\n00:00.000 --> 00:01.000\n{TALK}\n\n00:11.000 --> 00:12.000\nserve it\n")
    scribe, opened = auto(None if beside else recogniser_from_file(words))
    recipe = scribe.write(path)
    assert len(recipe.warnings) == 1
    assert "the file says it is 12.0 s long, but only the first" in recipe.warnings[0]
    (asked,) = opened[NARRATED].asked
    assert asked.transcript.text == TALK
    assert asked.film.duration < 11


def test_a_film_is_opened_once(damaged: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[Path] = []

    def counted(path: Path, limits: Limits) -> VideoInfo:
        opened.append(path)
        return probe(path, limits)

    monkeypatch.setattr("cookscribe.video.file.probe", counted)
    monkeypatch.setattr(cookscribe.scribe, "load_pipeline", lambda bundle, _: Told(bundle))
    words = tmp_path / "words.txt"
    words.write_text(f"{TALK} {TALK} {TALK}")
    printed = run_command("write", damaged, "--transcript", words, "--formats", "json,html,md", "--out", tmp_path)
    assert opened == [damaged]
    for text in (printed, (tmp_path / "film.html").read_text(), (tmp_path / "film.recipe.json").read_text()):
        assert "the file says it is 12.0 s long, but only the first" in " ".join(text.split())


def listening(video: VideoFile, _: Any) -> Transcript:
    """Hears nothing, but listens to all of it."""
    assert sum(1 for _ in video.sound()) >= 0
    return Transcript.from_text("", video.duration)


@pytest.mark.parametrize(
    ("kinds", "told"), [(("audio",), "the sound ends after 3"), (("video", "audio"), "only the first 3")]
)
def test_silence_in_a_damaged_film_is_blamed_on_the_damage(tmp_path: Path, kinds: tuple[str, ...], told: str) -> None:
    path = spoiled(loud(tmp_path / "whole.mp4"), tmp_path / "film.mp4", kinds, 3.0, "zeros")
    with pytest.raises(NoModelFitsError, match="the file is damaged") as refused:
        auto(listening)[0].write(path)
    assert "nobody speaks" not in refused.value.cause
    assert told in refused.value.cause
    assert "another copy" in refused.value.advice


def test_sound_that_cannot_be_decoded_is_no_silence(tmp_path: Path) -> None:
    path = spoiled(film(tmp_path / "whole.mp4"), tmp_path / "film.mp4", ("audio",), 0.0, "noise")
    with pytest.raises(
        NoModelFitsError, match=r"sound can.*: the file is damaged or incomplete, and no word can be made out"
    ):
        auto(listening)[0].write(path)


def test_the_recogniser_is_loaded_once_for_many_films(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[Any] = []

    def whisper(**_: Any) -> Any:
        loaded.append(saying(TALK))
        return loaded[-1]

    monkeypatch.setattr("cookscribe.senses.listening.Whisper", whisper)
    hearing = Listening()
    for name in ("one.mp4", "two.mp4"):
        assert hearing(VideoFile(film(tmp_path / name))).text == TALK
    assert len(loaded) == 1
