"""Glimpses against a real film, cuts of a video against its truth, and what calibration means."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cookscribe.bundle import BundleConfig
from cookscribe.evaluation.events import Events
from cookscribe.learning.calibration import calibrate, expected_calibration_error, right_steps, word_f1
from cookscribe.track import FeatureTrack
from cookscribe.video import Size, VideoFile
from cookscribe_lab.kitchen_bundle.cut_augmentation import other_cut, stretches
from cookscribe_lab.kitchen_films.drawing.film import Picture, draw_video
from cookscribe_lab.kitchen_films.drawing.glimpses import glimpse_times, glimpses
from cookscribe_lab.kitchen_films.drawing.screenplay import Film
from cookscribe_lab.kitchen_films.recipes import MadeUpRecipe, make_recipe


@pytest.fixture(scope="module")
def recipe() -> MadeUpRecipe:
    return make_recipe(5, 2, tempo=10)


def test_glimpses_are_nearly_the_frames_of_the_film(recipe: MadeUpRecipe, tmp_path: Path) -> None:
    film = VideoFile(draw_video(recipe, tmp_path / "film.mp4", Picture(90)))
    size = Size.square(64)
    seen, real = list(glimpses(recipe, Picture(90), 1.0, size)), list(film.frames(1.0, size))
    assert [frame.time for frame in seen] == [frame.time for frame in real]
    assert [frame.shown for frame in seen] == pytest.approx([frame.shown for frame in real], abs=1e-3)
    apart = [np.abs(a.image.astype(int) - b.image.astype(int)).mean() for a, b in zip(seen, real, strict=True)]
    neighbours = [
        np.abs(a.image.astype(int) - b.image.astype(int)).mean() for a, b in zip(seen, real[1:], strict=False)
    ]
    assert np.mean(apart) < 6 < np.mean(neighbours)


def test_single_pictures_are_those_of_the_whole_film(recipe: MadeUpRecipe) -> None:
    whole = [np.asarray(picture) for picture in Film(recipe, 160, 90)]
    borders = [scene.first for scene in Film(recipe, 160, 90).scenes]  # where scenes melt into each other
    numbers = sorted({0, 7, len(whole) - 1, *borders, *(border + 1 for border in borders)})
    film = Film(recipe, 160, 90)
    for number, picture in zip(numbers, film.pictures(numbers), strict=True):
        assert np.array_equal(np.asarray(picture), whole[number])


@pytest.mark.parametrize(("duration", "count"), [(10.0, 10), (10.4, 10), (10.6, 11), (0.2, 1)])
def test_moments_are_those_of_the_reader(duration: float, count: int) -> None:
    times = glimpse_times(duration, 1.0)
    assert len(times) == count
    assert times[0] == 0.5


def test_a_cut_shows_its_own_scenes_only(recipe: MadeUpRecipe) -> None:
    times = np.arange(int(recipe.duration)) + 0.5
    scenes = stretches(recipe)
    # Every row says which scene it belongs to, and which step (-1: none).
    place = np.array([max(n for n, scene in enumerate(scenes) if scene.start <= time) for time in times])
    step = np.array([-1 if (s := scenes[n].step) is None else s for n in place])
    track = FeatureTrack(times, np.stack([place, step], axis=1).astype(np.float32), "made-up", recipe.duration)
    video, found = other_cut(recipe, track, 1)
    assert found.duration == video.duration
    assert (np.diff(found.values[:, 0]) >= 0).all()  # scenes keep their order
    for span, sentence in zip(video.spans, video.sentences, strict=True):
        inside = (found.times >= span[0]) & (found.times < span[1])
        steps = set(found.values[inside, 1].astype(int).tolist())
        assert len(steps) <= 1
        assert all(recipe.steps[number].sentence == sentence for number in steps)
    kept = [step for step in recipe.steps if step.sentence in video.sentences]
    named = {recipe.called[kind] for step in kept for kind in step.ingredients}
    assert set(video.ingredients) <= named
    again, same = other_cut(recipe, track, 1)
    assert np.array_equal(video.spans, again.spans)
    assert np.array_equal(found.values, same.values)
    assert other_cut(recipe, track, 2)[0].duration != video.duration


def test_calibration_finds_how_often_it_is_right() -> None:
    rng = np.random.default_rng(0)
    sure = rng.uniform(0.02, 0.98, 4000)
    odds = np.log(sure / (1 - sure))
    right = rng.random(4000) < 1 / (1 + np.exp(-(0.5 * odds + 1.0)))  # says less than it knows
    slope, shift = calibrate(sure.tolist(), right.tolist())
    assert slope == pytest.approx(0.5, abs=0.08)
    assert shift == pytest.approx(1.0, abs=0.12)
    config = BundleConfig(name="x", encoder="y", calibration=(slope, shift))
    told = [config.calibrated(value) for value in sure]
    assert (
        expected_calibration_error(told, right.tolist())
        < 0.02
        < expected_calibration_error(sure.tolist(), right.tolist())
    )


def test_a_right_step_has_time_and_words(recipe: MadeUpRecipe) -> None:
    video = recipe.annotated()
    true = Events(video.spans, video.sentences)
    assert all(right_steps(true, video))
    assert not any(right_steps(Events(video.spans, ("sing a song",) * len(video.sentences)), video))
    assert not any(right_steps(Events(video.spans + video.duration, video.sentences), video))
    assert word_f1("chop the onion", "chop the carrot") == pytest.approx(2 / 3)
