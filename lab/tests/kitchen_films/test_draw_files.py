"""Drawn videos as files: truth and film agree when read again, same seed same bytes, resuming, narration, commands."""

import json
import os
import stat
import sys
from dataclasses import replace
from pathlib import Path

import av
import numpy as np
import pytest

from cookscribe.errors import BadValueError, CookscribeError
from cookscribe.pipelines.base import is_drawn_film
from cookscribe.recipe import Span
from cookscribe.video import VideoFile
from cookscribe_lab.kitchen_films import narration
from cookscribe_lab.kitchen_films.drawing import film as film_module
from cookscribe_lab.kitchen_films.drawing.film import LABEL, Picture, draw_video, draw_videos, truth_path
from cookscribe_lab.kitchen_films.drawing.screenplay import FPS
from cookscribe_lab.kitchen_films.narration import SOUND_RATE, Narration, lines, narration_here, sound_track, speak
from cookscribe_lab.kitchen_films.recipes import MadeUpRecipe, make_recipe, make_recipes, read_recipes
from cookscribe_lab.kitchen_films.timeline import Interlude, InterludeKind
from tests.command import run_command

SMALL = Picture(height=90)


def short(recipe: MadeUpRecipe, steps: int = 2) -> MadeUpRecipe:
    """The first steps only, three seconds each, with a second of talking in between: quick to draw."""
    kept, interludes, clock = [], [], 0
    for number, step in enumerate(recipe.steps[:steps]):
        kind = InterludeKind.TITLE if number == 0 else InterludeKind.TALKING
        interludes.append(Interlude(kind, Span(start=clock, end=clock + 1)))
        kept.append(replace(step, span=Span(start=clock + 1, end=clock + 4)))
        clock += 4
    return replace(recipe, steps=tuple(kept), interludes=tuple(interludes), duration=float(clock))


@pytest.fixture(scope="module")
def recipe() -> MadeUpRecipe:
    return short(make_recipe(3, 0))


@pytest.fixture(scope="module")
def drawn(recipe: MadeUpRecipe, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return draw_video(recipe, tmp_path_factory.mktemp("drawn") / "soup.mp4", SMALL)


def test_film_and_truth_agree_when_read_again(drawn: Path, recipe: MadeUpRecipe) -> None:
    truth = json.loads(truth_path(drawn).read_text())[recipe.id]
    with av.open(str(drawn)) as container:
        stream = container.streams.video[0]
        frames = list(container.decode(stream))
        assert container.duration / 1e6 == pytest.approx(recipe.duration)
        assert (stream.width, stream.height) == (truth["video"]["width"], truth["video"]["height"]) == (160, 90)
        assert not container.streams.audio, "silent unless asked"
    assert len(frames) == truth["video"]["frames"] == round(recipe.duration * FPS)
    times = np.array([frame.time for frame in frames])
    np.testing.assert_allclose(times, np.arange(len(frames)) / FPS, atol=1e-3)
    # The borders that the truth gives are where the picture changes most.
    grey = np.array([frame.to_ndarray(format="gray") for frame in frames], dtype=np.float64)
    change = np.abs(np.diff(grey, axis=0)).mean(axis=(1, 2))
    for start, _ in truth["timestamps"][:1]:
        border = round(start * FPS)
        assert change[border - 1 : border + 3].sum() > 8 * np.median(change)


def test_everything_says_that_it_is_simulated(drawn: Path, recipe: MadeUpRecipe) -> None:
    with av.open(str(drawn)) as container:
        assert container.metadata["comment"].startswith("simulated: ")
        assert LABEL in container.metadata["comment"]
        assert container.metadata["title"] == recipe.title
    assert is_drawn_film(VideoFile(drawn)), "the product knows a drawn film by its label"
    assert json.loads(truth_path(drawn).read_text())[recipe.id]["simulated"] is True
    assert read_recipes(truth_path(drawn))[recipe.id].simulated


def test_same_seed_same_bytes_another_seed_another_film(drawn: Path, recipe: MadeUpRecipe, tmp_path: Path) -> None:
    again = draw_video(recipe, tmp_path / "soup.mp4", SMALL)
    assert again.read_bytes() == drawn.read_bytes()
    if film_module.codec() == "libx264":  # which notes its settings; with the tree bytes differ, but not everywhere
        assert b"mbtree=0" in drawn.read_bytes()
    assert truth_path(again).read_bytes() == truth_path(drawn).read_bytes()
    other = draw_video(short(make_recipe(4, 0)), tmp_path / "other.mp4", SMALL)
    assert other.read_bytes() != drawn.read_bytes()


def test_mpeg4_where_there_is_no_h264(recipe: MadeUpRecipe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(film_module, "codec", lambda: "mpeg4")
    path = draw_video(recipe, tmp_path / "old.mp4", SMALL)
    with av.open(str(path)) as container:
        assert container.streams.video[0].codec_context.name == "mpeg4"
        assert sum(1 for _ in container.decode(video=0)) == round(recipe.duration * FPS)


def test_a_failed_drawing_leaves_nothing(recipe: MadeUpRecipe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("no more paint")

    monkeypatch.setattr(film_module.Film, "_picture", broken)
    with pytest.raises(RuntimeError, match="paint"):
        draw_video(recipe, tmp_path / "broken.mp4", SMALL)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("height", [0, 91, 4000])
def test_impossible_sizes_are_refused(height: int) -> None:
    with pytest.raises(BadValueError, match="even number from 90 to 720"):
        Picture(height)


# -- folders


def test_a_folder_is_gone_on_with(tmp_path: Path) -> None:
    made = list(make_recipes(6, 10))
    recipes = [short(made[number], 1) for number in (0, 1, 2, 8, 9)]
    draw_videos(recipes[:3], tmp_path, SMALL, workers=2)
    stamps = {path.name: path.stat().st_mtime_ns for path in tmp_path.glob("*.mp4")}
    assert len(stamps) == 3
    removed, damaged = tmp_path / f"{recipes[0].id}.mp4", tmp_path / f"{recipes[1].id}.json"
    removed.unlink()
    damaged.write_text("{")
    draw_videos(recipes, tmp_path, SMALL)
    after = {path.name: path.stat().st_mtime_ns for path in tmp_path.glob("*.mp4")}
    assert len(after) == 5
    for name, stamp in stamps.items():
        redrawn = name in (removed.name, damaged.with_suffix(".mp4").name)
        assert (after[name] != stamp) == redrawn, name
    assert set(read_recipes(tmp_path / "truth.json")) == {recipe.id for recipe in recipes}
    splits = {split: read_recipes(tmp_path / f"truth-{split}.json") for split in ("training", "validation", "testing")}
    assert {split: len(videos) for split, videos in splits.items()} == {"training": 3, "validation": 1, "testing": 1}


def test_another_size_is_drawn_anew(tmp_path: Path) -> None:
    recipes = [short(make_recipe(6, 0), 1)]
    draw_videos(recipes, tmp_path, SMALL)
    small = (tmp_path / f"{recipes[0].id}.mp4").read_bytes()
    draw_videos(recipes, tmp_path, Picture(height=120))
    assert (tmp_path / f"{recipes[0].id}.mp4").read_bytes() != small


# -- narration


@pytest.fixture
def voice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A stand-in for espeak-ng: a tone as long as the text has letters, at another rate, with the length unknown."""
    script = tmp_path / "bin" / "espeak-ng"
    script.parent.mkdir()
    script.write_text(
        f"#!{sys.executable}\n"
        "import sys, io, wave, array\n"
        "text = sys.stdin.read()\n"
        "if 'fail' in text:\n"
        "    sys.exit('no voice')\n"
        "data = io.BytesIO()\n"
        "sound = wave.open(data, 'wb')\n"
        "sound.setnchannels(1); sound.setsampwidth(2); sound.setframerate(11025)\n"
        "sound.writeframes(array.array('h', [8000, -8000] * (250 * len(text))).tobytes())\n"
        "sound.close()\n"
        "raw = bytearray(data.getvalue())\n"
        "raw[4:8] = raw[40:44] = (0x7FFFF000).to_bytes(4, 'little')\n"
        "sys.stdout.buffer.write(bytes(raw))\n"
    )
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{script.parent}{os.pathsep}{os.environ['PATH']}")
    return script


def test_sentences_are_spoken_when_their_step_begins(recipe: MadeUpRecipe) -> None:
    track = sound_track(recipe, lambda text: np.full(len(text) * 500, 0.5, dtype=np.float32))
    assert len(track) == round(recipe.duration * SOUND_RATE)
    for step in recipe.steps:
        start = round((step.span.start + 0.1) * SOUND_RATE)
        assert not track[start - 500 : start].any()
        assert (track[start : start + 500] == 0.5).all()
    assert {words for _, _, words in lines(recipe)} >= {step.sentence for step in recipe.steps}


def test_a_voice_that_is_too_long_fades_before_the_next_line(recipe: MadeUpRecipe) -> None:
    track = sound_track(recipe, lambda _: np.full(60 * SOUND_RATE, 0.5, dtype=np.float32))
    assert len(track) == round(recipe.duration * SOUND_RATE)
    assert track.max() <= 0.5, "two lines never sound at once"


def test_narration_goes_into_the_sound_track(recipe: MadeUpRecipe, voice: Path, tmp_path: Path) -> None:
    assert narration_here(True) is Narration.SPOKEN
    assert len(speak("salt")) == pytest.approx(500 * 4 * SOUND_RATE / 11025, abs=3)
    with pytest.raises(CookscribeError, match="no voice"):
        speak("fail")
    path = draw_video(recipe, tmp_path / "spoken.mp4", Picture(90, Narration.SPOKEN))
    with av.open(str(path)) as container:
        blocks = [block.to_ndarray().reshape(-1) for block in container.decode(audio=0)]
        rate = container.streams.audio[0].rate
    sound = np.abs(np.concatenate(blocks))
    assert len(sound) / rate == pytest.approx(recipe.duration, abs=0.2)
    first = recipe.steps[0].span
    during = sound[round((first.start + 0.3) * rate) : round((first.start + 0.8) * rate)].mean()
    assert during > 0.05
    assert voice.exists()


def test_without_a_synthesiser_the_sentences_are_written(
    recipe: MadeUpRecipe, drawn: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(narration, "synthesiser", lambda: None)
    assert narration_here(False) is Narration.NONE
    assert narration_here(True) is Narration.SUBTITLES
    with pytest.raises(CookscribeError, match="install espeak-ng"):
        speak("salt")
    path = draw_video(recipe, tmp_path / "written.mp4", Picture(90, narration_here(True)))

    def lower_rows(video: Path) -> np.ndarray:
        with av.open(str(video)) as container:
            return np.array([f.to_ndarray(format="gray")[68:] for f in container.decode(video=0)], dtype=np.float64)

    change = np.abs(lower_rows(path) - lower_rows(drawn)).mean(axis=(1, 2))
    first = recipe.steps[0].span
    assert change[round(first.start * FPS) + 4 : round(first.end * FPS) - 1].min() > 5, "words below the step"
    assert change[: round(first.start * FPS) - 1].max() < 2, "none before it"


# -- commands


def test_commands(tmp_path: Path) -> None:
    printed = run_command("kitchen", "recipes", "--count", 20, "--out", tmp_path / "recipes.json", "--seed", 3)
    assert "20 simulated recipes (16 training, 2 validation, 2 testing)" in printed
    expected = [recipe.id for recipe in make_recipes(3, 20)]
    assert list(read_recipes(tmp_path / "recipes.json")) == expected
    for arguments, complaint in (
        (["film.avi"], "is not an mp4 file"),
        (["film.mp4", "--count", 3], "name a folder"),
        (["film.mp4", "--split", "train"], "must be one of"),
        (["film.mp4", "--height", 81], "even number"),
        (["film.mp4", "--tempo", 99], "tempo"),
    ):
        with pytest.raises(BadValueError, match=complaint) as caught:
            run_command("kitchen", "draw", "--out", tmp_path / arguments[0], *arguments[1:])
        assert caught.value.exit_code == 2
    assert [path.name for path in tmp_path.iterdir()] == ["recipes.json"]


def test_draw_command_writes_video_and_truth(tmp_path: Path) -> None:
    out = tmp_path / "film.mp4"
    printed = run_command("kitchen", "draw", "--seed", 13, "--out", out, "--height", 90, "--tempo", 10)
    recipe = make_recipe(13, 0, tempo=10)
    assert recipe.title in printed
    assert "simulated" in printed
    assert list(read_recipes(tmp_path / "film.json")) == [recipe.id]
    with av.open(str(out)) as container:
        assert container.duration / 1e6 == pytest.approx(recipe.duration)
