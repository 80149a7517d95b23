"""Text on the screen: read where it is new, followed while it stands, and left out where it never leaves."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

import films
from cookscribe.errors import MissingDependencyError
from cookscribe.pipelines.told import listen_to
from cookscribe.senses import screen_text
from cookscribe.senses.screen_text import Reading, ScreenText, as_cues, tidied
from cookscribe.senses.text_regions import Box, find_strokes, new_region
from cookscribe.video import VideoFile
from cookscribe.video.writing import write_video

# Seconds from and to, and what stands there.
CAPTIONS = ((2.0, 5.0, "2 tbsp soy sauce"), (6.0, 9.0, "1 1/2 cups flour"), (9.0, 12.0, "3 cloves garlic"))
LOGO = "Tiny Kitchen"
LENGTH = 24.0


def captioned() -> Iterator[tuple[float, NDArray[np.uint8]]]:
    font = ImageFont.load_default(30)
    for time, picture in films.moving(LENGTH, 4.0, 640, 360):
        image = Image.fromarray(picture)
        draw = ImageDraw.Draw(image)
        lines = [((180, 280), text) for start, end, text in CAPTIONS if start <= time < end]
        for place, text in (*lines, ((430, 10), LOGO)):
            draw.text(place, text, "white", font, stroke_width=2, stroke_fill="black")
        yield time, np.asarray(image)


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> VideoFile:
    return VideoFile(write_video(tmp_path_factory.mktemp("films") / "captions.mp4", captioned(), rate=4.0))


def test_captions_are_read_with_their_times_and_the_logo_is_not(film: VideoFile) -> None:
    read = screen_text.TextReader()
    sizes = []

    def counted(image: NDArray[np.uint8]) -> list[Reading]:
        sizes.append(image.shape[0] * image.shape[1])
        return read(image)

    cues = ScreenText(counted)(film)
    assert [cue.text for cue in cues] == [text for _, _, text in CAPTIONS]
    assert {cue.source for cue in cues} == {"read"}
    for cue, (start, end, _) in zip(cues, CAPTIONS, strict=True):
        assert (cue.span.start, cue.span.end) == (pytest.approx(start, abs=0.6), pytest.approx(end, abs=0.6))
        assert cue.confidence > 0.9
    # Each line twice, not each of the 48 pictures, and only a part of these.
    assert len(sizes) <= 12
    assert max(sizes) < 640 * 480
    told = listen_to(cues, (), listed=False)
    assert [amount.line for amount in told.amounts] == ["2 tbsp soy sauce", "1 1/2 cups flour", "3 cloves garlic"]
    assert told.ingredients == ("soy sauce", "flour", "garlic")


def test_a_film_without_text_is_not_read_at_all(tmp_path: Path) -> None:
    def refuse(image: NDArray[np.uint8]) -> list[Reading]:
        raise AssertionError(f"a picture of {image.shape} was read")

    plain = films.plain(tmp_path / "plain.mp4", 6.0, sound=False)
    assert len(ScreenText(refuse)(VideoFile(plain))) == 0


def line(text: str, first: float, last: float, *others: str, box: Box | None = None) -> screen_text._Line:
    strokes = np.ones((4, 4), bool)
    readings = [(reading, 0.99) for reading in (text, *others)]
    return screen_text._Line(box or Box(100, 130, 50, 300), strokes, first, last, 0.0, readings)


def test_readings_of_one_line_vote() -> None:
    (cue,) = as_cues([line("2 tbsp soy sauce", 1, 4, "2 tbsp soy sauce", "2 tbsp say sauce")], 60)
    assert cue.text == "2 tbsp soy sauce"
    assert 0.9 < cue.confidence < 0.99


def test_a_line_that_was_hidden_for_a_moment_is_one() -> None:
    (cue,) = as_cues([line("1 cup rice", 1, 4), line("1 cup rice.", 5, 7, "1 cup rice")], 60)
    assert (cue.text, cue.span.start, cue.span.end) == ("1 cup rice", 1.0, 7.5)


def test_what_is_short_part_or_unsure_is_left_out() -> None:
    part = line("1 cup", 2, 4, box=Box(100, 130, 50, 150))
    cues = as_cues([line("1 cup rice", 2, 4), part, line("flash", 8, 8.5), line("abc", 10, 12, "xyz", "uvw")], 60)
    assert [cue.text for cue in cues] == ["1 cup rice"]


def test_a_watermark_that_comes_and_goes_is_dropped_and_a_caption_of_a_short_film_is_not() -> None:
    marks = [line("@cook", start, start + 8) for start in (0.0, 12.0, 24.0, 36.0)]
    assert len(as_cues(marks, 48)) == 0
    assert len(as_cues([line("2 eggs", 0, 9)], 10)) == 1


def test_strokes_that_move_are_no_text() -> None:
    image = np.zeros((240, 320, 3), np.uint8)
    ImageDraw.Draw(picture := Image.fromarray(image)).text(
        (40, 100), "2 tbsp soy sauce", "white", ImageFont.load_default(24)
    )
    strokes = find_strokes(np.asarray(picture))
    nothing = np.zeros_like(strokes)
    region = new_region(strokes & strokes, nothing)
    assert region.top <= 112 < 124 <= region.bottom
    assert new_region(strokes & strokes, strokes) is None
    assert new_region(strokes & np.roll(strokes, 30, axis=0), nothing) is None


TIDIED = {
    "200ml bread crumbs": "200 ml bread crumbs",
    "1/4pinch salt": "1/4 pinch salt",
    "350 Ib flour": "350 lb flour",
    "21/2 cups": "2 1/2 cups",
    "1 1/2 cups": "1 1/2 cups",
    "1/2 lb.chicken stock": "1/2 lb chicken stock",
    "2 Tbsp. oil": "2 Tbsp. oil",
    "Chef's table": "Chef's table",
    "100% pure": "100% pure",
}


@pytest.mark.parametrize("text", TIDIED)
def test_lines_are_tidied(text: str) -> None:
    assert tidied(text) == TIDIED[text]


def test_without_the_package_the_command_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(screen_text, "can_read", lambda: False)
    with pytest.raises(MissingDependencyError, match=r"pip install 'cookscribe\[ocr\]'"):
        ScreenText()
