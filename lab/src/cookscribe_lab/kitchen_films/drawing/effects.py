"""What moves by itself: flames, steam, bubbles, streams, falling grains."""

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

from cookscribe.seeds import generator
from cookscribe_lab.kitchen_films.drawing.colours import lighter
from cookscribe_lab.kitchen_films.drawing.paint import Point, Sketch, Sprite, centred, spots
from cookscribe_lab.kitchen_films.drawing.vessels import Vessel
from cookscribe_lab.kitchen_films.food_table import Colour

_PHASES = 6


@lru_cache(maxsize=32)
def _flame_ring(rx: int, ry: int, phase: int) -> Sprite:
    s = Sketch(2 * rx + 40, 2 * ry + 44)
    rng = generator("flames", phase)
    cx, cy = s.width / 2, s.height / 2 + 6
    for k in range(22):
        a = 2 * math.pi * k / 22
        x, y = cx + rx * math.cos(a), cy + ry * math.sin(a)
        tall = rng.uniform(9, 17)
        s.polygon([(x - 5, y), (x, y - tall), (x + 5, y), (x, y + 4)], (60, 120, 250), 2, alpha=230)
        s.polygon([(x - 2.4, y), (x, y - tall * 0.55), (x + 2.4, y)], (255, 176, 70), alpha=240)
    return s.sprite()


def flames(target: Image.Image, cx: float, cy: float, rx: int, ry: int, clock: float) -> None:
    """A ring of gas flames."""
    centred(target, _flame_ring(rx, ry, int(clock * 10) % _PHASES), cx, cy)


@lru_cache(maxsize=8)
def _puff(size: int) -> Sprite:
    image = Image.new("L", (size * 2, size * 2))
    ImageDraw.Draw(image).ellipse([size * 0.5, size * 0.5, size * 1.5, size * 1.5], fill=100)
    puff = Image.new("RGBA", image.size, (255, 255, 255, 0))
    puff.putalpha(image.filter(ImageFilter.GaussianBlur(size * 0.22)))
    return puff


def steam(target: Image.Image, cx: float, cy: float, spread: float, clock: float, strength: int = 5) -> None:
    """Puffs that rise and drift."""
    for k in range(strength):
        life = (clock * 0.55 + k / strength) % 1.0
        x = cx + spread * math.sin(k * 2.4) * (0.6 + 0.4 * life) + 10 * math.sin(clock * 1.7 + k)
        centred(target, _puff((30, 40, 50)[int(life * 2.99)]), x, cy - 120 * life)


@lru_cache(maxsize=64)
def _bubble_layer(rx: int, ry: int, phase: int, colour: Colour) -> Sprite:
    s = Sketch(2 * rx, 2 * ry)
    rng = generator("bubbles", phase)
    for x, y in spots(rx, ry, rx, ry, 26, rng, 0.86):
        size = rng.uniform(3, 9)
        s.ellipse(x, y, size, size * 0.72, lighter(colour, 0.55), 2, 0.5, alpha=170)
        s.ellipse(x - size * 0.25, y - size * 0.2, size * 0.3, size * 0.2, (255, 255, 255), alpha=230)
    return s.sprite()


def bubbles(target: Image.Image, thing: Vessel, share: float, clock: float, colour: Colour) -> None:
    """A boiling surface, over this share of the opening."""
    rx, ry = round(thing.rx * share), round(thing.ry * share)
    centred(target, _bubble_layer(rx, ry, int(clock * 8) % _PHASES, colour), thing.cx, thing.cy)


@lru_cache(maxsize=16)
def _sizzle_layer(rx: int, ry: int, phase: int) -> Sprite:
    s = Sketch(2 * rx, 2 * ry)
    rng = generator("sizzle", phase)
    for x, y in spots(rx, ry, rx, ry, 34, rng, 0.92):
        s.ellipse(x, y, 2.4, 1.8, (255, 250, 225), alpha=200)
    return s.sprite()


def sizzle(target: Image.Image, thing: Vessel, share: float, clock: float) -> None:
    """Hot fat spits, over this share of the opening."""
    rx, ry = round(thing.rx * share), round(thing.ry * share)
    centred(target, _sizzle_layer(rx, ry, int(clock * 10) % _PHASES), thing.cx, thing.cy)


def stream(target: Image.Image, start: Point, end: Point, colour: Colour, width: float, clock: float) -> None:
    """A liquid on its way down, with a ripple."""
    draw = ImageDraw.Draw(target)
    (x0, y0), (x1, y1) = start, end
    points = []
    for k in range(9):
        t = k / 8
        points.append((x0 + (x1 - x0) * t**0.6 + math.sin(clock * 16 + k) * 0.8, y0 + (y1 - y0) * t))
    draw.line(points, fill=colour, width=max(2, round(width)), joint="curve")
    draw.line([(x - width * 0.2, y) for x, y in points], fill=lighter(colour, 0.5), width=max(1, round(width * 0.25)))
    draw.ellipse([x1 - width * 1.5, y1 - width * 0.6, x1 + width * 1.5, y1 + width * 0.6], fill=lighter(colour, 0.2))


def falling(
    target: Image.Image,
    sprites: Sequence[Sprite],
    start: Point,
    end: Point,
    spread: float,
    clock: float,
    count: int = 7,
) -> None:
    """Pieces in the air between a hand or a board and a vessel."""
    for k in range(count):
        life = (clock * 1.6 + k / count) % 1.0
        lean = math.sin(k * 12.9898) * spread
        x = start[0] + (end[0] - start[0]) * life + lean * (0.3 + 0.7 * life)
        y = start[1] + (end[1] - start[1]) * life**1.6
        centred(target, sprites[k % len(sprites)], x, y)


def sprinkled(
    target: Image.Image,
    start: Point,
    end_y: float,
    spread: float,
    colours: Sequence[Colour],
    clock: float,
    size: float = 2.6,
) -> None:
    """Grains that fall from fingers or a shaker."""
    draw = ImageDraw.Draw(target)
    rng = np.random.default_rng(int(clock * 10))
    for _ in range(46):
        life = float(rng.random())
        x = start[0] + float(rng.normal(0, 1)) * spread * (0.25 + 0.75 * life)
        y = start[1] + (end_y - start[1]) * life
        colour = colours[int(rng.integers(len(colours)))]
        draw.ellipse([x - size, y - size, x + size, y + size], fill=colour)
