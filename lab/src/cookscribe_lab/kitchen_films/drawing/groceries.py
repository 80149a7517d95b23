"""Meat, fish, dairy, bread and grain in one piece: one painter per shape."""

import math

import numpy as np

from cookscribe_lab.kitchen_films.drawing.colours import darker, lighter, mixed, varied
from cookscribe_lab.kitchen_films.drawing.paint import Sketch, Sprite, around, smooth, wobbly
from cookscribe_lab.kitchen_films.food_table import Palette


def pile(p: Palette, rng: np.random.Generator, size: float, count: int, oval: float = 1.0) -> Sprite:
    """A mound of small things: peas, beans, corn, rice, crumbs of meat."""
    s = Sketch(116, 84)
    s.blob(wobbly(58, 50, 46, 28, rng, 0.05), darker(p.skin, 0.18), 10, 0.5)
    spots = sorted((math.sqrt(rng.uniform()), rng.uniform(0, 2 * math.pi)) for _ in range(count))
    for r, a in reversed(spots):
        x, y = 58 + 47 * r * math.cos(a), 50 + 29 * r * math.sin(a) - 9 * (1 - r)
        t = rng.uniform(0, math.pi)
        dx, dy = size * oval * math.cos(t) * 0.6, size * oval * math.sin(t) * 0.5
        s.line([(x - dx, y - dy), (x + dx, y + dy)], varied(p.skin, rng, 11), size * 1.5, size * 0.6, 0.5)
    return s.sprite()


def slab(p: Palette, rng: np.random.Generator, width: int, height: int, marbled: bool) -> Sprite:
    s = Sketch(width + 12, height + 12)
    outline = smooth(wobbly(width / 2 + 6, height / 2 + 6, width / 2, height / 2, rng, 0.08, 10))
    s.polygon(outline, p.mark if marbled else p.skin, 6, 0.4)
    inner = [
        (width / 2 + 6 + (x - width / 2 - 6) * 0.9, height / 2 + 4 + (y - height / 2 - 6) * 0.84) for x, y in outline
    ]
    s.polygon(inner, p.skin, 7, 0.4)
    if marbled:
        for _ in range(9):
            x, y = rng.uniform(width * 0.2, width * 0.85), rng.uniform(height * 0.25, height * 0.8)
            s.line([(x, y), (x + rng.uniform(6, 18), y + rng.uniform(-6, 6))], p.mark, 1.8, alpha=200)
    return s.sprite()


def bacon(p: Palette, rng: np.random.Generator) -> Sprite:
    s = Sketch(132, 80)
    for y in (14, 40, 66):
        for shift, colour, wide in ((0, p.skin, 20), (-4, p.mark, 4), (5, p.mark, 3.4)):
            wave = [(6 + 15 * k, y + shift + 3.5 * math.sin(k * 1.4 + y) + rng.uniform(-0.6, 0.6)) for k in range(9)]
            s.line(wave, colour, wide, 5 if wide > 10 else 0, 0.45)
    return s.sprite()


def ham(p: Palette, rng: np.random.Generator) -> Sprite:
    s = Sketch(112, 84)
    for cx, cy in ((46, 36), (66, 48)):
        s.blob(wobbly(cx, cy, 42, 31, rng, 0.04), p.mark, 4, 0.4)
        s.blob(wobbly(cx, cy, 38, 27, rng, 0.04), p.skin, 4, 0.3)
    return s.dots(rng, 14, 1.6, [p.mark]).sprite()


def sausages(p: Palette, _rng: np.random.Generator) -> Sprite:
    s = Sketch(128, 78)
    for y in (18, 40, 62):
        s.line([(18, y + 4), (44, y - 2), (84, y - 2), (110, y + 4)], p.skin, 21, 7, 0.55)
        s.ellipse(40, y - 7, 16, 2.4, lighter(p.skin, 0.4), alpha=140)
    return s.sprite()


def fillet(p: Palette, _rng: np.random.Generator) -> Sprite:
    s = Sketch(132, 78)
    outline = smooth([(8, 34), (30, 12), (80, 10), (118, 24), (126, 42), (110, 62), (60, 70), (20, 60)])
    s.polygon(outline, p.skin, 10, 0.45)
    for x in range(26, 116, 13):
        s.line(smooth([(x, 16), (x + 9, 38), (x, 62), (x + 9, 40)], 6), p.mark, 2.2, alpha=210)
    return s.sprite()


def shrimp(p: Palette, rng: np.random.Generator) -> Sprite:
    s = Sketch(120, 84)
    for cx, cy, flip in ((34, 30, 1), (84, 34, -1), (58, 58, 1)):
        arc = [(cx + flip * 19 * math.cos(a), cy + 15 * math.sin(a)) for a in np.linspace(0.4, 4.4, 9)]
        for k, (x, y) in enumerate(arc):
            s.ellipse(x, y, 13 - 0.9 * k, 12 - 0.8 * k, varied(p.skin, rng, 7), 5, 0.5)
            if k % 2:
                s.line([(x - 4, y - 3), (x + 4, y + 3)], p.mark, 1.2)
        x, y = arc[-1]
        s.polygon([(x, y), (x + flip * 12, y - 7), (x + flip * 12, y + 6)], mixed(p.skin, (250, 130, 90), 0.6), 2)
    return s.sprite()


def block(
    p: Palette,
    rng: np.random.Generator,
    width: float,
    depth: float,
    height: float,
    holes: bool = False,
    lines: bool = False,
) -> Sprite:
    """A cuboid: cheese, butter, tofu, chocolate."""
    s = Sketch(round(width + depth + 16), round(depth * 0.6 + height + 16))
    x, y = 8.0, 8 + depth * 0.6
    top = [(x, y), (x + depth, 8), (x + depth + width, 8), (x + width, y)]
    side = [(x + width, y), (x + width + depth, 8), (x + width + depth, 8 + height), (x + width, y + height)]
    s.polygon([(x, y), (x + width, y), (x + width, y + height), (x, y + height)], darker(p.skin, 0.06), 3, 0.3)
    s.polygon(top, lighter(p.skin, 0.3), 2, 0.2).polygon(side, darker(p.skin, 0.2), 2, 0.2)
    if holes:
        for _ in range(8):
            hx, hy = rng.uniform(x + 9, x + width - 9), rng.uniform(y + 8, y + height - 8)
            s.ellipse(hx, hy, rng.uniform(3, 6), rng.uniform(3, 5), p.mark, 2, 0.5)
    if lines:
        for k in range(1, 5):
            s.line([(x + k * width / 5, y), (x + depth + k * width / 5, 8)], p.mark, 2)
        s.line([(x + depth / 2, y - depth * 0.3), (x + depth / 2 + width, y - depth * 0.3)], p.mark, 2)
    return s.sprite()


def eggs(p: Palette, rng: np.random.Generator) -> Sprite:
    s = Sketch(112, 84)
    for cx, cy in ((32, 34), (80, 34), (56, 54)):
        outline = around(cx, cy, [(0, -27), (13, -18), (20, 4), (13, 20), (0, 25), (-13, 20), (-20, 4), (-13, -18)])
        s.blob(outline, varied(p.skin, rng, 5), 10, 0.4)
    return s.sprite()


def slice_of_bread(p: Palette) -> Sprite:
    """A slice seen from above, crust and crumb."""
    s = Sketch(120, 108)
    outline = [(16, 30), (24, 10), (60, 8), (96, 10), (104, 30), (98, 46), (100, 98), (60, 102), (20, 98), (22, 46)]
    s.blob(outline, p.skin, 5, 0.4)
    s.blob([(60 + (x - 60) * 0.89, 55 + (y - 55) * 0.89) for x, y in outline], p.flesh, 4, 0.25)
    return s.dots(np.random.default_rng(4), 50, 1.4, [darker(p.flesh, 0.1), lighter(p.flesh, 0.4)]).sprite()


def bread(p: Palette, _rng: np.random.Generator) -> Sprite:
    s = Sketch(140, 92)
    s.blob([(10, 40), (24, 16), (70, 8), (116, 16), (130, 40), (124, 80), (70, 86), (16, 80)], p.skin, 14, 0.5)
    for x in (34, 62, 90):
        s.line([(x, 18), (x + 16, 40)], lighter(p.flesh, 0.1), 4, 1)
    return s.sprite()


def buns(p: Palette, rng: np.random.Generator) -> Sprite:
    s = Sketch(128, 84)
    for cx, cy in ((42, 38), (84, 50)):
        s.blob(around(cx, cy, [(-38, 12), (-28, -18), (0, -28), (28, -18), (38, 12), (0, 26)]), p.skin, 14, 0.5)
        for _ in range(12):
            s.ellipse(cx + rng.uniform(-22, 22), cy + rng.uniform(-20, 4), 2, 1.4, p.mark)
    return s.sprite()


def tortilla(p: Palette, rng: np.random.Generator) -> Sprite:
    s = Sketch(132, 88)
    s.blob(wobbly(66, 44, 60, 38, rng, 0.02), p.skin, 3, 0.3)
    return s.dots(rng, 30, 3.4, [mixed(p.skin, p.mark, 0.55)]).sprite()


def strands(p: Palette, rng: np.random.Generator, wavy: float) -> Sprite:
    s = Sketch(132, 80)
    for k in range(26):
        y = 14 + k * 2.1
        points = [(6 + 15 * i, y + wavy * math.sin(i * 1.3 + k * 0.8) + rng.uniform(-1.5, 1.5)) for i in range(9)]
        s.line(points, varied(p.skin, rng, 10), 3, 1, 0.5)
    return s.sprite()
