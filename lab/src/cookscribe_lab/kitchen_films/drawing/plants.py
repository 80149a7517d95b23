"""Vegetables, fruit and herbs in one piece: one painter per shape."""

import math
from collections.abc import Callable

import numpy as np

from cookscribe_lab.kitchen_films.drawing.colours import darker, lighter, mixed, varied
from cookscribe_lab.kitchen_films.drawing.paint import Sketch, Sprite, around, smooth, wobbly
from cookscribe_lab.kitchen_films.food_table import Palette

Painter = Callable[[Palette, np.random.Generator], Sprite]
STALK = (70, 120, 44)


def tomato(p: Palette, rng: np.random.Generator) -> Sprite:
    s = Sketch(92, 88)
    s.blob(wobbly(46, 48, 40, 36, rng, 0.03), p.skin, 14, 0.5)
    s.ellipse(32, 32, 9, 5, lighter(p.skin, 0.55), alpha=150)
    for k in range(5):
        a = k * 2 * math.pi / 5 + 0.3
        s.polygon([(46, 16), (46 + 6 * math.cos(a + 0.5), 18 + 4 * math.sin(a + 0.5)),
                   (46 + 20 * math.cos(a), 18 + 11 * math.sin(a))], STALK, 2)  # fmt: skip
    return s.line([(46, 18), (48, 6)], darker(STALK, 0.2), 4, 1).sprite()


def onion(p: Palette, _rng: np.random.Generator) -> Sprite:
    s = Sketch(88, 92)
    s.blob([(44, 8), (50, 22), (80, 42), (74, 76), (44, 86), (14, 76), (8, 42), (38, 22)], p.skin, 13, 0.5)
    for k in (-2, -1, 0, 1, 2):
        s.line(smooth([(44, 14), (44 + k * 13, 44), (44 + k * 8, 82), (44 + k * 13, 46)], 6), darker(p.skin, 0.22), 1.4)
    s.line([(40, 86), (38, 91)], (120, 96, 70), 1.5).line([(48, 86), (50, 91)], (120, 96, 70), 1.5)
    return s.line([(44, 12), (42, 2)], darker(p.skin, 0.3), 5, 1).sprite()


def garlic(p: Palette, _rng: np.random.Generator) -> Sprite:
    s = Sketch(72, 76)
    s.blob([(36, 4), (40, 22), (64, 42), (58, 66), (36, 72), (14, 66), (8, 42), (32, 22)], p.skin, 9, 0.4)
    for x in (22, 36, 50):
        s.line([(36, 20), (x, 44), (36 + (x - 36) * 0.8, 68)], p.mark, 1.6)
    return s.sprite()


def carrots(p: Palette, rng: np.random.Generator) -> Sprite:
    s = Sketch(132, 84)
    for y, tip in ((26, 116), (56, 122)):
        outline = [(26, y - 13), (32, y - 15), (tip - 30, y - 5), (tip, y + 2), (tip - 34, y + 8), (30, y + 14)]
        s.blob(outline, p.skin, 6, 0.5)
        for x in range(38, tip - 26, 13):
            s.line([(x, y - 8 + float(rng.integers(0, 5))), (x + 1, y - 1)], darker(p.skin, 0.2), 1.3)
        for k in (-9, -3, 4, 10):
            s.line([(28, y), (6 + abs(k) * 0.4, y + k)], (60, 150, 50), 3.4, 1)
    return s.sprite()


def potatoes(p: Palette, rng: np.random.Generator) -> Sprite:
    s = Sketch(116, 84)
    for cx, cy, rx, ry in ((42, 32, 36, 26), (76, 52, 36, 27)):
        s.blob(wobbly(cx, cy, rx, ry, rng, 0.07), varied(p.skin, rng, 6), 12, 0.5)
    return s.dots(rng, 26, 1.6, [darker(p.skin, 0.3)]).sprite()


def long(p: Palette, _rng: np.random.Generator, bend: float, thick: float, tip: bool) -> Sprite:
    s = Sketch(140, 66)
    spine = [(16 + 104 * t, 36 + bend * (4 * (t - 0.5) ** 2 - 0.6)) for t in np.linspace(0, 1, 9)]
    s.line(spine, p.skin, thick, thick * 0.34, 0.55)
    for shift in (-0.22, 0.1):
        s.line([(x, y + thick * shift) for x, y in spine[1:-1]], lighter(p.skin, 0.25), 1.6, alpha=170)
    if tip:
        s.line([spine[-1], (spine[-1][0] + 9, spine[-1][1] - 6)], STALK, 6, 2)
    return s.sprite()


def banana(p: Palette, _rng: np.random.Generator) -> Sprite:
    s = Sketch(140, 84)
    for lift in (0, 15):
        outline = [(10, 26), (34, 52), (74, 62), (112, 48), (130, 18), (106, 34), (72, 42), (36, 32)]
        s.blob(around(0, lift, outline), p.skin, 6, 0.45)
        s.line([(130, 18 + lift), (133, 10 + lift)], (110, 86, 40), 5)
        s.line([(10, 26 + lift), (7, 23 + lift)], (90, 70, 36), 4)
    return s.sprite()


def lettuce(p: Palette, rng: np.random.Generator) -> Sprite:
    s = Sketch(116, 104)
    for radius, share in ((50, 0.0), (38, 0.3), (26, 0.55)):
        for k in range(8):
            a = k * math.pi / 4 + radius
            cx, cy = 58 + radius * 0.5 * math.cos(a), 52 + radius * 0.45 * math.sin(a)
            s.blob(wobbly(cx, cy, radius * 0.46, radius * 0.42, rng, 0.24, 11), mixed(p.skin, p.mark, share), 5, 0.5)
    return s.sprite()


def cabbage(p: Palette, rng: np.random.Generator) -> Sprite:
    s = Sketch(108, 100)
    s.blob(wobbly(54, 51, 48, 45, rng, 0.03), p.skin, 16, 0.5)
    for shift in (-26, -12, 2, 16, 30):
        s.line(
            smooth([(54, 88), (54 + shift, 60), (54 + shift * 1.2, 26), (54 + shift, 60)], 6), lighter(p.skin, 0.5), 2
        )
    s.blob([(60, 8), (98, 28), (96, 74), (66, 92), (80, 50)], lighter(p.skin, 0.18), 6, 0.5)
    return s.sprite()


def pepper(p: Palette, _rng: np.random.Generator) -> Sprite:
    s = Sketch(92, 98)
    for x in (26, 66, 46):
        s.blob([(x - 18, 26), (x, 16), (x + 18, 26), (x + 17, 66), (x, 92), (x - 17, 66)], p.skin, 11, 0.45)
    s.ellipse(46, 20, 15, 6, darker(p.skin, 0.25), 2)
    return s.line([(46, 20), (50, 4)], STALK, 7, 2).sprite()


def mushrooms(p: Palette, rng: np.random.Generator) -> Sprite:
    s = Sketch(112, 84)
    for cx, cy in ((38, 34), (76, 48)):
        s.box(cx - 9, cy, cx + 9, cy + 30, lighter(p.skin, 0.55), 7, 4, 0.4)
        outline = around(cx, cy, [(-31, 6), (-24, -20), (0, -28), (24, -20), (31, 6), (0, 11)])
        s.blob(outline, varied(p.skin, rng, 5), 10, 0.5)
    return s.sprite()


def broccoli(p: Palette, rng: np.random.Generator) -> Sprite:
    s = Sketch(100, 100)
    s.polygon([(38, 50), (62, 50), (58, 96), (42, 96)], p.mark, 6, 0.5)
    s.line([(48, 66), (24, 46)], p.mark, 10, 3).line([(52, 66), (76, 46)], p.mark, 10, 3)
    for _ in range(34):
        a, r = rng.uniform(0, 2 * math.pi), 34 * math.sqrt(rng.uniform())
        s.ellipse(50 + 1.2 * r * math.cos(a), 36 + 0.85 * r * math.sin(a), 9, 8, varied(p.skin, rng, 14), 4, 0.6)
    return s.sprite()


def leaves(p: Palette, rng: np.random.Generator, count: int, long: float, wide: float) -> Sprite:
    s = Sketch(112, 92)
    for k in range(count):
        a = rng.uniform(math.pi * 1.05, math.pi * 1.95)
        r = rng.uniform(18, 46)
        cx, cy = 56 + 1.05 * r * math.cos(a), 74 + r * 1.2 * math.sin(a)
        s.line([(56, 88), (cx, cy)], mixed(p.skin, p.mark, 0.5), 2)
        t = a + rng.uniform(-0.6, 0.6)
        u = (math.cos(t), math.sin(t))
        v = (-u[1], u[0])
        ring = [(-1, 0), (-0.4, -0.9), (0.4, -0.7), (1, 0), (0.4, 0.7), (-0.4, 0.9)]
        leaf = [(cx + u[0] * i * long + v[0] * j * wide, cy + u[1] * i * long + v[1] * j * wide) for i, j in ring]
        s.blob(leaf, varied(p.skin, rng, 12), 4, 0.5)
        if k % 2:
            s.line([(cx + u[0] * long * t, cy + u[1] * long * t) for t in (-0.8, 0.7)], p.mark, 1.2)
    return s.sprite()


def avocado(p: Palette, _rng: np.random.Generator) -> Sprite:
    s = Sketch(124, 88)
    pear = [(44, 6), (58, 24), (70, 54), (58, 78), (40, 82), (18, 72), (14, 46), (30, 22)]
    s.blob([(x + 46, y) for x, y in pear], p.skin, 10, 0.6)
    s.blob(pear, p.skin, 4, 0.5)
    s.blob([(42 + (x - 42) * 0.86, 50 + (y - 50) * 0.87) for x, y in pear], p.flesh, 5, 0.3)
    return s.ellipse(42, 56, 15, 15, (126, 76, 40), 7, 0.6).sprite()


def chili(p: Palette, _rng: np.random.Generator) -> Sprite:
    s = Sketch(124, 74)
    for y in (20, 46):
        outline = [(20, y - 8), (50, y - 9), (88, y + 2), (116, y + 16), (84, y + 15), (44, y + 9), (20, y + 8)]
        s.blob(outline, p.skin, 6, 0.6)
        s.line([(20, y), (6, y - 8)], STALK, 6, 2)
    return s.sprite()


def celery(p: Palette, rng: np.random.Generator) -> Sprite:
    s = Sketch(140, 78)
    for y in (26, 40, 54):
        outline = [(8, y - 8), (70, y - 6), (112, y - 4), (112, y + 4), (70, y + 7), (8, y + 9)]
        s.blob(outline, varied(p.skin, rng, 8), 5, 0.5)
        s.line([(12, y - 2), (108, y - 1)], lighter(p.skin, 0.4), 1.4)
    for _ in range(9):
        s.blob(wobbly(rng.uniform(108, 130), rng.uniform(18, 60), 11, 9, rng, 0.25), p.mark, 4, 0.5)
    return s.sprite()


def ginger(p: Palette, rng: np.random.Generator) -> Sprite:
    s = Sketch(112, 80)
    for cx, cy, rx, ry in ((40, 46, 32, 20), (70, 36, 20, 26), (88, 54, 18, 14), (28, 26, 13, 16)):
        s.blob(wobbly(cx, cy, rx, ry, rng, 0.1), varied(p.skin, rng, 5), 8, 0.5)
    for x in (30, 46, 62, 80):
        s.line([(x, 34), (x + 3, 54)], p.mark, 1.5)
    return s.sprite()


def strawberries(p: Palette, rng: np.random.Generator) -> Sprite:
    s = Sketch(112, 88)
    for cx, cy in ((34, 34), (78, 38), (56, 56)):
        s.blob(around(cx, cy, [(-20, -12), (0, -18), (20, -12), (14, 12), (0, 28), (-14, 12)]), p.skin, 9, 0.5)
        for _ in range(12):
            s.ellipse(cx + rng.uniform(-14, 14), cy + rng.uniform(-10, 16), 1.2, 1.7, (250, 220, 120))
        for k in (-12, -4, 4, 12):
            s.polygon([(cx - 3, cy - 17), (cx + 3, cy - 17), (cx + k, cy - 8)], (60, 150, 50), 1)
    return s.sprite()


def apple(p: Palette, _rng: np.random.Generator) -> Sprite:
    s = Sketch(92, 92)
    outline = [(46, 22), (66, 14), (86, 36), (78, 70), (58, 86), (46, 82), (34, 86), (14, 70), (6, 36), (26, 14)]
    s.blob(outline, p.skin, 13, 0.5)
    s.ellipse(46, 22, 9, 4, darker(p.skin, 0.35)).line([(46, 22), (50, 4)], p.mark, 3.5)
    return s.blob([(50, 12), (64, 2), (74, 8), (62, 15)], (70, 150, 56), 3).sprite()


def lemon(p: Palette, rng: np.random.Generator) -> Sprite:
    s = Sketch(100, 76)
    s.blob([(4, 40), (20, 22), (50, 10), (78, 20), (96, 38), (78, 58), (50, 68), (20, 58)], p.skin, 12, 0.45)
    return s.dots(rng, 60, 0.9, [darker(p.skin, 0.1)]).sprite()
