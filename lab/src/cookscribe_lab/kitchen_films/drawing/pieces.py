"""Ingredients in pieces: slices, cubes, shreds, drops, as they lie on a board or in a vessel."""

import math
from functools import lru_cache

import numpy as np

from cookscribe.seeds import generator
from cookscribe_lab.kitchen_films.drawing.colours import CHAR, darker, lighter, mixed, palette, varied
from cookscribe_lab.kitchen_films.drawing.foods import has_body, whole
from cookscribe_lab.kitchen_films.drawing.groceries import slice_of_bread
from cookscribe_lab.kitchen_films.drawing.paint import Sketch, Sprite, around, patched, scaled, smooth, turned, wobbly
from cookscribe_lab.kitchen_films.food_table import FOODS, Kind, Palette
from cookscribe_lab.kitchen_films.states import Cut, Heat

VARIANTS = 6
_LEAFY = frozenset({"lettuce", "cabbage", "spinach", "parsley", "cilantro", "basil"})
_GRAINS = {"peas": 9.0, "corn": 8.0, "beans": 11.0, "rice": 6.5}


def _round_slice(s: Sketch, p: Palette, rng: np.random.Generator, rx: float, ry: float, rim: float) -> None:
    cx, cy = s.width / 2, s.height / 2
    s.blob(wobbly(cx, cy + 2.5, rx, ry, rng, 0.03), darker(p.skin, 0.2))
    s.blob(wobbly(cx, cy, rx, ry, rng, 0.03), p.skin, 2, 0.3)
    s.blob(wobbly(cx, cy, rx * rim, ry * rim, rng, 0.03), p.flesh, 3, 0.2)


def _slice(name: str, p: Palette, rng: np.random.Generator) -> Sprite:
    """One slice, about 40 pixels across."""
    s = Sketch(52, 46)
    cx, cy = 26.0, 23.0
    match name:
        case "tomatoes":
            _round_slice(s, p, rng, 21, 17, 0.86)
            for k in range(4):
                a = math.pi / 4 + k * math.pi / 2
                s.ellipse(cx + 9 * math.cos(a), cy + 7.4 * math.sin(a), 5.6, 4.4, mixed(p.skin, p.mark, 0.35), 1, 0.3)
                s.ellipse(cx + 9 * math.cos(a), cy + 7.4 * math.sin(a), 1.7, 1.3, p.mark)
        case "onion":
            for k in range(4):
                share = 1 - 0.24 * k
                s.ellipse(cx, cy, 20 * share, 16 * share, p.mark if k % 2 == 0 else p.flesh, 1.5, 0.3)
                s.ellipse(cx, cy, 18 * share, 14.2 * share, p.flesh)
        case "cucumber" | "zucchini":
            _round_slice(s, p, rng, 18, 15, 0.86)
            for k in range(9):
                a = 2 * math.pi * k / 9
                s.ellipse(cx + 8.5 * math.cos(a), cy + 7 * math.sin(a), 1.8, 1.4, p.mark)
        case "carrots":
            _round_slice(s, p, rng, 14, 12, 0.9)
            s.ellipse(cx, cy, 6, 5, p.mark, 1, 0.2)
        case "lemon":
            _round_slice(s, p, rng, 19, 16, 0.84)
            for k in range(8):
                x, y = 15 * math.cos(k * math.pi / 4), 12.5 * math.sin(k * math.pi / 4)
                s.line([(cx + 0.25 * x, cy + 0.25 * y), (cx + x, cy + y)], p.mark, 1.8)
        case "banana":
            _round_slice(s, Palette(p.mark, p.flesh, p.mark), rng, 14, 12, 0.94)
            for a in (0.5, 2.6, 4.7):
                s.ellipse(cx + 4 * math.cos(a), cy + 3.4 * math.sin(a), 1.4, 1.2, (120, 90, 50))
        case "eggs":
            _round_slice(s, Palette(p.flesh, p.flesh, p.mark), rng, 17, 14, 0.95)
            s.ellipse(cx, cy, 8.5, 7, p.mark, 3, 0.3)
        case "potatoes" | "ginger" | "garlic" | "celery":
            wide = {"potatoes": 20, "ginger": 14, "garlic": 10, "celery": 11}[name]
            _round_slice(s, p, rng, wide, wide * 0.78, 0.92)
        case "bell pepper":
            s.line(smooth(wobbly(cx, cy, 17, 13, rng, 0.12, 8)), p.skin, 5.5, 2, 0.4)
            s.line(smooth(wobbly(cx, cy, 13.5, 10, rng, 0.1, 8)), p.mark, 1.5)
        case "mushrooms":
            s.box(cx - 5, cy - 2, cx + 5, cy + 17, p.flesh, 4, 2, 0.3)
            s.blob(around(cx, cy, [(-18, 2), (-14, -11), (0, -16), (14, -11), (18, 2), (0, 4)]), p.skin, 2, 0.3)
            s.blob(around(cx, cy, [(-14, 0), (-10, -8), (0, -12), (10, -8), (14, 0), (0, 1)]), p.flesh)
            s.line([(cx - 12, cy + 1), (cx + 12, cy + 1)], p.mark, 2.2)
        case "avocado":
            s.line([(cx - 15, cy + 6), (cx - 6, cy - 9), (cx + 8, cy - 9), (cx + 16, cy + 6)], p.skin, 11, 2, 0.4)
            s.line([(cx - 13, cy + 5), (cx - 5, cy - 7), (cx + 7, cy - 7), (cx + 14, cy + 5)], p.flesh, 8, 2, 0.3)
        case "apple":
            s.blob([(cx - 20, cy - 4), (cx, cy - 13), (cx + 20, cy - 4), (cx, cy + 1)], p.skin, 2, 0.3)
            s.blob(around(cx, cy, [(-19, -3), (0, -9), (19, -3), (8, 9), (-8, 9)]), p.flesh, 3, 0.2)
        case "strawberries":
            outline = [(-13, -9), (0, -13), (13, -9), (9, 8), (0, 16), (-9, 8)]
            s.blob(around(cx, cy, outline), p.skin, 2, 0.3)
            s.blob([(cx + x * 0.78, cy + y * 0.78) for x, y in outline], p.flesh, 2, 0.2)
            s.blob([(cx + x * 0.3, cy + y * 0.4) for x, y in outline], p.mark)
        case "chili" | "sausages":
            wide = 15 if name == "sausages" else 8
            _round_slice(s, p, rng, wide, wide * 0.8, 0.8)
            if name == "chili":
                s.ellipse(cx, cy, 2.4, 1.8, p.mark)
        case "cheese":
            s.polygon([(6, 10), (46, 6), (47, 37), (7, 41)], p.flesh, 2, 0.3)
            for _ in range(4):
                s.ellipse(rng.uniform(13, 40), rng.uniform(13, 33), 3, 2.4, p.mark, 1, 0.4)
        case "ham":
            s.blob(wobbly(cx, cy, 22, 18, rng, 0.05), p.mark, 2, 0.3)
            s.blob(wobbly(cx, cy, 19.5, 15.5, rng, 0.05), p.skin, 2, 0.2)
        case "bacon":
            for shift, colour, thick in ((0, p.skin, 13), (-3, p.mark, 3), (3.5, p.mark, 2.4)):
                strip = [(6 + 8 * k, cy + shift + 2.4 * math.sin(k * 1.5)) for k in range(6)]
                s.line(strip, colour, thick, 3 if thick > 5 else 0)
        case "bread" | "buns":
            return scaled(slice_of_bread(p), 0.5)
        case _ if name in _LEAFY:
            for _ in range(3):
                x, y = rng.uniform(8, 24), rng.uniform(8, 36)
                leaf = smooth([(x, y), (x + 9, y - 5), (x + 22, y + 3), (x + 9, y - 3)], 4)
                s.line(leaf, varied(p.flesh, rng, 16), 4.6, 1.5, 0.5)
                s.line([(x + 4, y - 3), (x + 15, y - 2)], p.mark, 1.2)
        case _:
            s.blob(wobbly(cx, cy, 22, 11, rng, 0.12), p.mark, 3, 0.35)
            s.blob(wobbly(cx, cy - 1, 20, 9, rng, 0.12), p.flesh, 4, 0.4)
            if name in ("salmon", "beef", "pork", "veal"):
                for x in (16, 26, 36):
                    s.line([(x, cy - 5), (x + 3, cy + 5)], p.mark, 1.5, alpha=190)
    return s.sprite()


def _cube(name: str, p: Palette, rng: np.random.Generator) -> Sprite:
    """One chopped piece, about 20 pixels across."""
    s = Sketch(30, 28)
    if name in ("parsley", "cilantro", "basil"):
        for _ in range(5):
            s.blob(wobbly(rng.uniform(6, 24), rng.uniform(6, 22), 4, 3, rng, 0.3), varied(p.flesh, rng, 18), 1.5)
        return s.sprite()
    if name in ("lettuce", "cabbage", "spinach"):
        s.blob(wobbly(15, 14, 12, 9, rng, 0.3, 8), varied(p.flesh, rng, 16), 4, 0.6)
        return s.line([(8, 16), (22, 12)], p.mark, 1.6).sprite()
    if name == "broccoli":
        s.line([(15, 14), (15, 26)], p.mark, 7, 2)
        for x, y in ((9, 10), (21, 10), (15, 6), (15, 13)):
            s.ellipse(x, y, 6.5, 6, varied(p.skin, rng, 12), 3, 0.6)
        return s.sprite()
    if name == "eggs":
        s.blob(wobbly(15, 14, 11, 9, rng, 0.2, 6), p.flesh, 3, 0.3)
        if rng.random() < 0.6:
            s.blob(wobbly(16, 13, 6, 5, rng, 0.2, 6), p.mark, 2, 0.3)
        return s.sprite()
    size = {"garlic": 6.0, "ginger": 6.5, "chili": 6.0, "chocolate": 8.0}.get(name, 9.5)
    face = varied(p.flesh, rng, 7)
    lean = rng.uniform(-2, 2)
    x0, x1, y0, y1 = 15 - size, 15 + size * 0.55, 14 - size * 0.3, 14 + size * 0.9
    s.polygon([(x0, y0), (x1, y0), (x1, y1), (x0, y1)], darker(face, 0.08), 1.5, 0.3)
    s.polygon([(x0, y0), (x0 + 5 + lean, y0 - 5), (x1 + 5 + lean, y0 - 5), (x1, y0)], lighter(face, 0.3), 1, 0.2)
    skinned = name in ("tomatoes", "cucumber", "zucchini", "bell pepper", "apple", "avocado", "strawberries", "chili")
    side = p.skin if skinned else p.mark if name in ("onion", "mushrooms", "cabbage") else darker(face, 0.2)
    s.polygon([(x1, y0), (x1 + 5 + lean, y0 - 5), (x1 + 5 + lean, y1 - 5), (x1, y1)], side, 1, 0.2)
    return s.sprite()


def _shred(p: Palette, rng: np.random.Generator) -> Sprite:
    """A few grated strands."""
    s = Sketch(36, 28)
    for _ in range(5):
        x, y, a = rng.uniform(9, 27), rng.uniform(8, 20), rng.uniform(0, math.pi)
        dx, dy = 10 * math.cos(a), 7 * math.sin(a)
        bend = rng.uniform(-3, 3)
        s.line([(x - dx, y - dy), (x + bend, y - bend), (x + dx, y + dy)], varied(p.flesh, rng, 12), 2.8, 1, 0.5)
    return s.sprite()


def _grain(name: str, p: Palette, rng: np.random.Generator) -> Sprite:
    rice = name == "rice"
    s = Sketch(58, 44) if rice else Sketch(30, 26)
    size = _GRAINS[name]
    for _ in range(26 if rice else 3):
        x, y, a = rng.uniform(8, s.width - 8), rng.uniform(7, s.height - 7), rng.uniform(0, math.pi)
        reach = size * (0.5 if name in ("rice", "beans") else 0.15)
        s.line([(x - reach * math.cos(a), y - reach * math.sin(a)), (x + reach * math.cos(a), y + reach * math.sin(a))],
               varied(p.flesh, rng, 8), size * (0.45 if name == "rice" else 0.8), size * 0.3, 0.5)  # fmt: skip
    return s.sprite()


def _curl(p: Palette, rng: np.random.Generator, wide: float) -> Sprite:
    """A tangle of pasta."""
    s = Sketch(64, 44)
    for _ in range(6):
        cx, cy, r = rng.uniform(22, 42), rng.uniform(15, 29), rng.uniform(7, 15)
        a = rng.uniform(0, 6)
        arc = [(cx + 1.2 * r * math.cos(a + t), cy + 0.8 * r * math.sin(a + t)) for t in np.linspace(0, 4.2, 9)]
        s.line(arc, varied(p.skin, rng, 9), wide, wide * 0.35, 0.5)
    return s.sprite()


def _crumble(p: Palette, rng: np.random.Generator) -> Sprite:
    s = Sketch(36, 30)
    for _ in range(5):
        s.blob(wobbly(rng.uniform(8, 28), rng.uniform(8, 22), 7, 5, rng, 0.25), varied(p.skin, rng, 12), 3, 0.5)
    return s.sprite()


def _yolk(p: Palette, rng: np.random.Generator) -> Sprite:
    """A cracked egg."""
    s = Sketch(84, 62)
    s.blob(wobbly(42, 31, 38, 27, rng, 0.1), (250, 250, 240), 4, 0.15, alpha=205)
    s.ellipse(43, 30, 16, 13, p.mark, 6, 0.4)
    return s.ellipse(38, 25, 4, 2.6, (255, 236, 170), alpha=210).sprite()


def _dust(p: Palette, rng: np.random.Generator) -> Sprite:
    """A pinch of powder or ground spice."""
    s = Sketch(34, 28)
    return s.dots(rng, 46, 1.4, [p.skin, p.mark, p.flesh], inside=False).sprite()


@lru_cache(maxsize=2048)
def piece(name: str, cut: Cut, heat: Heat, variant: int) -> Sprite:
    """One piece of the ingredient; `variant` in [0, VARIANTS) turns and varies it."""
    rng = generator("piece", FOODS[name].group or name, cut, variant)
    p = palette(name, heat)
    kind = FOODS[name].kind
    browned = heat in (Heat.SEARED, Heat.FRIED, Heat.BAKED)
    if kind is Kind.POWDER:
        return _dust(p, rng)
    if name == "bread":
        sprite = slice_of_bread(p)
    elif name == "ground beef":
        sprite = _crumble(p, rng)
    elif name in _GRAINS:
        sprite = _grain(name, p, rng)
    elif name in ("pasta", "noodles"):
        sprite = _curl(p, rng, 5.0 if name == "pasta" else 3.4)
    elif cut is Cut.CRACKED:
        return _yolk(p, rng)
    elif cut is Cut.SLICED:
        sprite = _slice(name, p, rng)
        if name not in ("mushrooms", "strawberries", "cheese", "bread", "buns"):
            sprite = turned(sprite, float(rng.uniform(-40, 40)))
    elif cut is Cut.CHOPPED:
        sprite = turned(scaled(_cube(name, p, rng), 1.3), float(rng.uniform(-30, 30)))
    elif cut is Cut.GRATED:
        sprite = _shred(p, rng)
    elif has_body(name):
        return scaled(whole(name, heat, cut is Cut.PEELED), 0.9)
    else:
        return _dust(p, rng)
    if browned:
        sprite = patched(sprite, CHAR, 0.4, rng, 4.0, 0.22 if heat is not Heat.SEARED else 0.1)
    return sprite


def is_big(name: str, cut: Cut) -> bool:
    """Whether a vessel holds one or two of them rather than a scattering."""
    small = FOODS[name].kind is Kind.POWDER or name in _GRAINS or name in ("ground beef", "pasta", "noodles")
    return not small and cut in (Cut.WHOLE, Cut.PEELED) and has_body(name)
