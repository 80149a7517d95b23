"""Drawn films with burnt-in captions, and what the captions say: the truth for reading text on the screen.

The pictures are those of the laboratory's drawn kitchen; the captions are lines of ingredients as silent cooking films
show them, in the fonts that matplotlib carries.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import matplotlib
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from cookscribe.seeds import generator
from cookscribe.video.writing import write_video
from cookscribe_lab.kitchen_films.drawing.screenplay import FPS, Film
from cookscribe_lab.kitchen_films.recipes import make_recipe
from cookscribe_lab.kitchen_films.timeline import InterludeKind

FONTS = ("DejaVuSans-Bold", "DejaVuSerif", "DejaVuSansMono", "STIXGeneral", "cmss10")
SIZES = (16, 22, 32)  # pixels, of a picture of 360 lines
WIDTH, HEIGHT, RATE = 640, 360, 4
SHOWN, BETWEEN = 3.0, 1.2  # seconds of a caption, and between two
QUANTITIES = ("1", "2", "3", "4", "1/2", "1/4", "3/4", "1 1/2", "2 1/2", "10", "12", "200", "350", "500")
SMALL = ("tbsp", "tsp", "cups", "cloves", "pinch", "g", "ml", "oz", "lb")
FOODS = (
    "soy sauce", "olive oil", "salt", "sugar", "garlic", "flour", "unsalted butter", "black pepper", "chicken stock",
    "coconut milk", "brown sugar", "sesame oil", "fish sauce", "rice vinegar", "grated ginger", "heavy cream",
    "ground beef", "chili flakes", "tomato paste", "lemon juice", "baking powder", "bread crumbs", "cumin seeds",
    "oyster sauce", "minced parsley", "cooked rice", "red wine", "peanut butter", "cherry tomatoes", "corn starch",
)  # fmt: skip


@dataclass(frozen=True)
class Look:
    """How captions are drawn."""

    font: str
    size: int
    outline: bool


@dataclass(frozen=True)
class Caption:
    """Lines that stand on the screen from `start` to `end` seconds."""

    start: float
    end: float
    lines: tuple[str, ...]


def every_look() -> list[Look]:
    """Five fonts, three sizes, with and without outline."""
    return [Look(font, size, outline) for font in FONTS for size in SIZES for outline in (True, False)]


def made_up_captions(seed: int, seconds: float) -> list[Caption]:
    """Lines of ingredients, one or two at a time."""
    chance = generator(seed, "captions")
    captions, time = [], 1.0
    while time + SHOWN < seconds:
        count = 1 + int(chance.random() < 0.3)
        lines = tuple(
            f"{chance.choice(QUANTITIES)} {chance.choice(SMALL)} {chance.choice(FOODS)}" for _ in range(count)
        )
        captions.append(Caption(time, time + SHOWN, lines))
        time += SHOWN + BETWEEN
    return captions


def pictures(seed: int, seconds: float) -> Iterator[tuple[float, Image.Image]]:
    """A drawn kitchen without any text, and its moments."""
    recipe = make_recipe(9000, seed, tempo=3.5)
    film = Film(recipe, WIDTH, HEIGHT)
    # Without the title, which is text too.
    start = max((part.span.end for part in recipe.interludes if part.kind is InterludeKind.TITLE), default=0.0) + 1.0
    count = int(min(seconds, recipe.duration - start - 1.0) * RATE)
    numbers = [round((start + n / RATE) * FPS) for n in range(count)]
    for n, image in enumerate(film.pictures(numbers)):
        yield n / RATE, image


def captioned_film(
    path: Path, seed: int, seconds: float, look: Look | None, logo: str = ""
) -> tuple[Path, list[Caption]]:
    """Draw a film with captions (none where `look` is None), and a logo in a corner that never leaves."""
    captions = made_up_captions(seed, seconds) if look else []
    places = generator(seed, "places").uniform(0.12, 0.8, len(captions))
    shown: list[Caption] = []

    def frames() -> Iterator[tuple[float, NDArray[np.uint8]]]:
        last = 0.0
        for time, picture in pictures(seed, seconds):
            image = picture.convert("RGB")
            for caption, place in zip(captions, places, strict=True):
                if look and caption.start <= time < caption.end:
                    write(image, caption.lines, place, look)
            if logo:
                write(image, (logo,), 0.04, Look("DejaVuSans-Bold", 18, True), right=True)
            last = time
            yield time, np.asarray(image)
        shown.extend(caption for caption in captions if caption.end <= last)

    write_video(path, frames(), rate=RATE, options={"crf": "26"})
    return path, shown


def write(image: Image.Image, lines: tuple[str, ...], place: float, look: Look, right: bool = False) -> None:
    """Write lines, centred, the first at `place` of the height; white, or black where it is bright."""
    fonts = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
    font = ImageFont.truetype(fonts / f"{look.font}.ttf", look.size)
    draw = ImageDraw.Draw(image)
    top = place * image.height
    for line in lines:
        left, _, end, _ = draw.textbbox((0, 0), line, font=font)
        x = image.width - (end - left) - 8 if right else (image.width - (end - left)) / 2
        box = (int(x), int(top), int(x + end - left), int(top + look.size * 1.3))
        bright = float(np.asarray(image.crop(box).convert("L")).mean()) > 128
        ink = "white" if look.outline or not bright else "black"
        draw.text((x, top), line, ink, font, stroke_width=2 if look.outline else 0, stroke_fill="black")
        top += look.size * 1.35
