"""`cookscribe write --screen-text` and `--no-screen-text`: whether the text that films show is read."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

import films
from cookscribe.errors import MissingDependencyError
from cookscribe.recipe import Recipe
from cookscribe.senses import screen_text
from cookscribe.senses.screen_text import Reading
from cookscribe.senses.text_regions import Box
from tests.command import run_command

LINE = "2 tbsp soy sauce"
# What is said; it lies beside the film, so that no recogniser is needed.
SUBTITLES = """1
00:00:01,000 --> 00:00:06,000
chop the onion and fry it in a hot pan with butter

2
00:00:08,000 --> 00:00:14,000
now add the beef stock, stir it and season with salt and pepper

3
00:00:16,000 --> 00:00:22,000
boil the potatoes, mash them and serve the meat on top
"""


@pytest.fixture
def film(tmp_path: Path) -> Path:
    font = ImageFont.load_default(30)

    def pictures() -> list[tuple[float, NDArray[np.uint8]]]:
        drawn = []
        for time, picture in films.moving(24.0, 2.0, 640, 360):
            image = Image.fromarray(picture)
            if 4.0 <= time < 9.0:
                ImageDraw.Draw(image).text((180, 280), LINE, "white", font, stroke_width=2, stroke_fill="black")
            drawn.append((time, np.asarray(image)))
        return drawn

    path = films.write_video(tmp_path / "dinner.mp4", pictures())
    path.with_suffix(".srt").write_text(SUBTITLES)
    return path


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, ...]]:
    """The sizes of the pictures that were read; whatever they show, a reader who is quick says what stands there."""
    sizes: list[tuple[int, ...]] = []

    class Quick:
        def __call__(self, image: NDArray[np.uint8]) -> Sequence[Reading]:
            sizes.append(image.shape)
            return [Reading(LINE, 0.99, Box(0, image.shape[0], 0, image.shape[1]))]

    monkeypatch.setattr(screen_text, "TextReader", Quick)
    return sizes


def amounts(film: Path, *options: str) -> list[str]:
    """The amounts of the recipe that is written of the film."""
    out = film.parent / "out"
    run_command("write", film, "--model", "youcook2-speech", "--formats", "json", "--out", out, *options)
    recipe = Recipe.model_validate_json((out / "dinner.recipe.json").read_text())
    return [amount.line for amount in recipe.amounts]


def test_what_the_film_shows_becomes_an_amount(film: Path, read: list[tuple[int, ...]]) -> None:
    assert LINE in amounts(film, "--screen-text")
    assert read


def test_nothing_is_read_if_nobody_wants_it(film: Path, read: list[tuple[int, ...]]) -> None:
    assert LINE not in amounts(film, "--no-screen-text")
    assert not read


@pytest.mark.parametrize("installed", [True, False])
def test_left_out_it_is_read_where_that_can_be_done(
    film: Path, read: list[tuple[int, ...]], monkeypatch: pytest.MonkeyPatch, *, installed: bool
) -> None:
    monkeypatch.setattr(screen_text, "can_read", lambda: installed)
    assert (LINE in amounts(film)) == bool(read) == installed


def test_asked_for_and_not_installed_it_names_the_command(film: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(screen_text, "can_read", lambda: False)
    with pytest.raises(MissingDependencyError, match=r"pip install 'cookscribe\[ocr\]'"):
        amounts(film, "--screen-text")
