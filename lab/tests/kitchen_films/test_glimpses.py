"""Glimpses: nearly the frames of the drawn film, at the moments at which a reader looks."""

from pathlib import Path

import numpy as np
import pytest

from cookscribe.video import Size, VideoFile
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
