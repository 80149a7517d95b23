"""The room: wall, counter, hob, oven. Painted once for a style and copied for every frame."""

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter

from cookscribe.seeds import generator
from cookscribe_lab.kitchen_films.drawing.colours import darker, lighter, mixed
from cookscribe_lab.kitchen_films.drawing.paint import Sketch, centred, place, shadow
from cookscribe_lab.kitchen_films.drawing.style import Style
from cookscribe_lab.kitchen_films.food_table import Colour

WIDTH, HEIGHT = 640, 360  # the stage; the camera shows a part of it
HORIZON = 62  # where the wall meets the counter


def _noise(rng: np.random.Generator, height: int, width: int, cell_y: int, cell_x: int) -> NDArray[np.float32]:
    """Smooth noise with standard deviation 1 and cells of the given size."""
    coarse = rng.normal(0.0, 1.0, (max(2, height // cell_y), max(2, width // cell_x))).astype(np.float32)
    return np.asarray(Image.fromarray(coarse).resize((width, height), Image.Resampling.BICUBIC))


def _hue(rng: np.random.Generator, low: int, high: int) -> Colour:
    red, green, blue = (int(value) for value in rng.integers(low, high, 3))
    return red, green, blue


def _table(style: Style) -> Image.Image:
    """The counter's surface."""
    rng = generator("table", style.seed)
    height, width = HEIGHT - HORIZON, WIDTH
    base = np.broadcast_to(np.asarray(style.table_colour, dtype=np.float32), (height, width, 3)).copy()
    if style.table in ("wood", "planks"):
        base += (_noise(rng, height, width, 3, 90) * 7 + _noise(rng, height, width, 1, 40) * 3)[..., None]
    elif style.table == "marble":
        veins = np.abs(_noise(rng, height, width, 60, 90) + 0.35 * _noise(rng, height, width, 16, 22))
        base -= (np.clip(0.12 - veins, 0, None) / 0.12 * 46)[..., None]
        base += (_noise(rng, height, width, 90, 120) * 4)[..., None]
    elif style.table == "slate":
        base += (_noise(rng, height, width, 30, 50) * 5)[..., None] + rng.normal(0, 4, (height, width, 1))
    elif style.table == "cloth":
        check = ((np.arange(width) // 34) % 2)[None, :] + ((np.arange(height) // 30) % 2)[:, None]
        dye = np.asarray(mixed(style.sleeve, style.wall, 0.25), dtype=np.float32)
        base += (dye - base) * (0.32 * check)[..., None]
    else:
        base += rng.normal(0, 2.5, (height, width, 1))
    # Light falls from the left; the near edge is a little darker.
    light = 1.05 - 0.12 * np.linspace(0, 1, width)[None, :] - 0.10 * np.linspace(0, 1, height)[:, None] ** 2
    image = Image.fromarray(np.clip(base * light[..., None], 0, 255).astype(np.uint8))
    if style.table == "planks":
        draw = ImageDraw.Draw(image)
        for y in range(44, height, 58):
            draw.line([(0, y), (width, y)], fill=darker(style.table_colour, 0.35), width=2)
    return image


def _wall(style: Style, height: int, sharp: bool = False) -> Image.Image:
    """Tiles, a shelf and a window, out of focus behind the counter."""
    image = Image.new("RGB", (WIDTH, height), style.wall)
    draw = ImageDraw.Draw(image)
    line = darker(style.wall, 0.12)
    for y in range(0, height, 32):
        draw.line([(0, y), (WIDTH, y)], fill=line, width=2)
        for x in range((y // 32 % 2) * 30, WIDTH, 60):
            draw.line([(x, y), (x, y + 32)], fill=line, width=2)
    rng = generator("wall", style.seed)
    left = 20.0
    while left < WIDTH:
        wide, tall = rng.uniform(16, 40), rng.uniform(0.3, 0.75) * min(height, 110)
        if rng.random() < 0.55:
            draw.rounded_rectangle(
                [left, height - tall, left + wide, height], radius=6, fill=mixed(_hue(rng, 60, 220), style.wall, 0.25)
            )
        left += wide + rng.uniform(14, 60)
    return image if sharp else image.filter(ImageFilter.GaussianBlur(3.5))


@lru_cache(maxsize=6)
def counter(style: Style) -> Image.Image:
    """Wall and counter."""
    image = Image.new("RGB", (WIDTH, HEIGHT))
    image.paste(_wall(style, HORIZON), (0, 0))
    image.paste(_table(style), (0, HORIZON))
    ImageDraw.Draw(image).line([(0, HORIZON), (WIDTH, HORIZON)], fill=darker(style.table_colour, 0.3), width=3)
    return image


@lru_cache(maxsize=6)
def hob(style: Style, cx: int, cy: int, rx: int, ry: int) -> Image.Image:
    """A dark hob with one burner, let into the counter. (cx, cy) and (rx, ry) are the burner's ellipse."""
    image = counter(style).copy()
    s = Sketch(WIDTH, HEIGHT)
    s.box(26, 78, 614, 352, (30, 32, 36), 14, 4, 0.5).box(34, 85, 606, 345, (44, 46, 52), 10, 4, 0.2)
    for x in (92, 548):
        s.ellipse(x, 122, 40, 20, (36, 38, 42), 3, 0.3).ellipse(x, 122, 22, 11, (22, 22, 24))
    for x in (92, 128, 164, 200):
        s.ellipse(x, 330, 9, 8, (150, 152, 158), 4, 0.6)
    for k in range(4):
        a = math.pi / 4 + k * math.pi / 2
        s.line([(cx, cy), (cx + rx * 1.25 * math.cos(a), cy + ry * 1.25 * math.sin(a))], (18, 18, 20), 9, 3)
    s.ellipse(cx, cy, rx * 0.6, ry * 0.6, (20, 20, 22), 4)
    place(image, s.sprite(), 0, 0)
    return image


@lru_cache(maxsize=8)
def oven(style: Style, door: int) -> Image.Image:
    """The hot oven from the front. `door` runs from 0 (closed) to 4 (open)."""
    image = _wall(style, HEIGHT, sharp=True)
    s = Sketch(WIDTH, HEIGHT)
    s.box(110, 10, 530, 352, (66, 68, 74), 10, 6, 0.4)
    s.box(110, 10, 530, 62, (44, 46, 52), 8, 4, 0.4)
    for x in (150, 190, 450, 490):
        s.ellipse(x, 36, 12, 12, (206, 208, 214), 5, 0.6)
    s.box(272, 22, 368, 50, (18, 24, 22), 4)
    s.box(284, 30, 300, 44, (90, 240, 130)).box(308, 30, 324, 44, (90, 240, 130)).box(340, 30, 356, 44, (90, 240, 130))
    s.box(138, 86, 502, 318, (22, 20, 20), 10)
    s.box(148, 96, 492, 308, (236, 120, 34), 8, 16, 0.2)
    s.ellipse(320, 300, 150, 14, (255, 196, 90), alpha=150)
    s.line([(165, 106), (475, 106)], (255, 220, 130), 4, alpha=200)
    for y in (200, 262):
        s.line([(150, y), (490, y)], (150, 150, 154), 3)
    layer = s.sprite()
    image.paste(layer, (0, 0), layer)
    d = Sketch(WIDTH, HEIGHT)
    if door:
        drop = door / 4
        outline = [(130, 318), (510, 318), (530 + 24 * drop, 318 + 38 * drop), (110 - 24 * drop, 318 + 38 * drop)]
        d.polygon(outline, (90, 94, 102), 4, 0.4)
        d.line([(160, 326 + 22 * drop), (480, 326 + 22 * drop)], (210, 212, 218), 8, 3, 0.5)
    else:
        d.box(130, 72, 510, 326, (84, 88, 96), 8, 5, 0.4, alpha=90)
        d.line([(170, 80), (470, 80)], (214, 216, 222), 11, 4, 0.5)
    place(image, d.sprite(), 0, 0)
    return image


@lru_cache(maxsize=8)
def sink(style: Style) -> Image.Image:
    """A steel sink in the counter, with a tap."""
    image = counter(style).copy()
    s = Sketch(WIDTH, HEIGHT)
    s.box(96, 96, 544, 346, (196, 200, 206), 30, 6, 0.5).box(112, 112, 528, 330, (140, 146, 154), 26, 16, 0.5)
    s.ellipse(320, 268, 20, 10, (60, 62, 66), 3)
    s.line([(320, 70), (320, 22), (320, 18)], (206, 210, 216), 16, 6, 0.5)
    s.line([(320, 20), (360, 20), (366, 60)], (206, 210, 216), 14, 5, 0.5)
    place(image, s.sprite(), 0, 0)
    return image


@lru_cache(maxsize=6)
def room(style: Style) -> Image.Image:
    """The kitchen behind the presenter: wall, window, shelf with crockery."""
    image = _wall(style, HEIGHT)
    s = Sketch(WIDTH, HEIGHT)
    s.box(40, 34, 190, 200, (250, 250, 246), 4, 5, 0.3).box(50, 44, 112, 190, (178, 214, 238), 2).box(
        118, 44, 180, 190, (186, 220, 242), 2
    )
    s.ellipse(80, 170, 40, 30, (120, 170, 90), alpha=200).ellipse(150, 176, 40, 26, (104, 156, 84), alpha=200)
    s.box(440, 120, 620, 132, darker(style.board, 0.15), 2, 3).box(440, 220, 620, 232, darker(style.board, 0.15), 2, 3)
    rng = generator("shelf", style.seed)
    for y in (120, 220):
        x = 450.0
        while x < 600:
            wide, tall = rng.uniform(16, 30), rng.uniform(24, 60)
            s.box(x, y - tall, x + wide, y, _hue(rng, 90, 235), 5, 4, 0.4)
            x += wide + rng.uniform(4, 14)
    place(image, s.sprite().filter(ImageFilter.GaussianBlur(1.6)), 0, 0)
    return image


@lru_cache(maxsize=6)
def soft_table(style: Style) -> Image.Image:
    """A table out of focus with spots of light behind, for the finished dish."""
    image = counter(style).filter(ImageFilter.GaussianBlur(7))
    s = Sketch(WIDTH, HEIGHT)
    rng = generator("lights", style.seed)
    for _ in range(16):
        x, y, r = rng.uniform(0, WIDTH), rng.uniform(0, 110), rng.uniform(8, 26)
        s.ellipse(x, y, r, r, lighter(style.wall, 0.6), alpha=70)
    place(image, s.sprite(), 0, 0)
    centred(image, shadow(420, 90, 18, 110), 326, 300)
    return image
