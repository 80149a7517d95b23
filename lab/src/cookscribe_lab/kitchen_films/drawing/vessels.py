"""Vessels and furniture: what food lies in and stands on, seen from above at an angle."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from PIL import Image

from cookscribe.seeds import generator
from cookscribe_lab.kitchen_films.drawing.colours import darker, lighter, mixed
from cookscribe_lab.kitchen_films.drawing.paint import Sketch, Sprite, centred, place, shadow
from cookscribe_lab.kitchen_films.drawing.style import Style
from cookscribe_lab.kitchen_films.food_table import Colour
from cookscribe_lab.kitchen_films.states import Place

STEEL: Colour = (178, 182, 188)


@dataclass(frozen=True)
class Vessel:
    """A vessel on the stage.

    Attributes:
        sprite: its picture, empty.
        left, top: where the picture goes on the stage.
        cx, cy: centre of the opening on the stage.
        rx, ry: half axes of the opening, in stage pixels.
        hob: whether it stands on the hob.
    """

    sprite: Sprite
    left: int
    top: int
    cx: int
    cy: int
    rx: int
    ry: int
    hob: bool = False

    def put_on(self, target: Image.Image) -> None:
        """Draw it."""
        place(target, self.sprite, self.left, self.top)


def _standing(
    sprite: Sprite, cx: int, cy: int, rx: int, ry: int, inside: tuple[float, float], hob: bool = False
) -> Vessel:
    """A vessel whose opening has its centre at `inside` of the sprite and at (cx, cy) of the stage."""
    return Vessel(sprite, round(cx - inside[0]), round(cy - inside[1]), cx, cy, rx, ry, hob)


def _over(s: Sketch, below: Sprite, x: float, y: float) -> Sprite:
    """The sketch with its shadow, whose centre is at (x, y), below it."""
    layer = Image.new("RGBA", (s.width, s.height))
    centred(layer, below, x, y)
    layer.alpha_composite(s.sprite())
    return layer


def _bowl(colour: Colour, rx: int, ry: int, deep: int, cx: int, cy: int) -> Vessel:
    width, height = 2 * rx + 60, 2 * ry + deep + 70
    ox, oy = width / 2, ry + 24.0
    s = Sketch(width, height)
    foot = rx * 0.5
    left = [(ox - rx - 8, oy), (ox - rx * 0.86, oy + ry * 0.7), (ox - foot, oy + ry * 0.72 + deep)]
    right = [(ox + foot, oy + ry * 0.72 + deep), (ox + rx * 0.86, oy + ry * 0.7), (ox + rx + 8, oy)]
    side = [*left, (ox, oy + ry * 0.8 + deep), *right, (ox, oy + ry * 0.4)]
    s.blob(side, colour, 16, 0.5)
    s.ellipse(ox, oy, rx + 9, ry + 8, lighter(colour, 0.25), 3, 0.4)
    s.ellipse(ox, oy + 2, rx + 2, ry + 1, darker(colour, 0.22), 14, 0.35)
    s.ellipse(ox, oy + ry * 0.2, rx * 0.72, ry * 0.66, darker(colour, 0.12), 12, 0.2)
    sprite = _over(s, shadow(round(rx * 1.5), round(ry * 0.9), 10, 120), ox + 8, oy + ry * 0.55 + deep)
    return _standing(sprite, cx, cy, rx, ry, (ox, oy))


def _plate(colour: Colour, cx: int, cy: int) -> Vessel:
    rx, ry = 182, 106
    s = Sketch(2 * rx + 50, 2 * ry + 60)
    ox, oy = s.width / 2, ry + 20.0
    s.ellipse(ox, oy + 7, rx, ry, darker(colour, 0.25)).ellipse(ox, oy, rx, ry, colour, 6, 0.3)
    s.ellipse(ox, oy, rx * 0.74, ry * 0.73, darker(colour, 0.07), 5, -0.3)
    s.ellipse(ox, oy + 2, rx * 0.71, ry * 0.69, lighter(colour, 0.12), 6, 0.1)
    sprite = _over(s, shadow(2 * rx - 10, 2 * ry - 20, 10, 110), ox + 6, oy + 16)
    return _standing(sprite, cx, cy, 136, 78, (ox, oy))


def _dish(colour: Colour, cx: int, cy: int) -> Vessel:
    rx, ry = 168, 92
    s = Sketch(2 * rx + 50, 2 * ry + 70)
    ox, oy = s.width / 2, ry + 20.0
    s.box(ox - rx, oy - ry + 14, ox + rx, oy + ry + 14, darker(colour, 0.28), 46, 8, 0.4)
    s.box(ox - rx, oy - ry, ox + rx, oy + ry, colour, 46, 5, 0.4)
    s.box(ox - rx + 16, oy - ry + 12, ox + rx - 16, oy + ry - 10, darker(colour, 0.1), 36, 9, 0.25)
    sprite = _over(s, shadow(2 * rx - 10, 2 * ry - 16, 10, 110), ox + 6, oy + 24)
    return _standing(sprite, cx, cy, 136, 70, (ox, oy))


def _pan(colour: Colour, cx: int, cy: int) -> Vessel:
    rx, ry = 150, 88
    s = Sketch(2 * rx + 270, 2 * ry + 110)
    ox, oy = rx + 24.0, ry + 20.0
    s.line([(ox + rx * 0.82, oy + ry * 0.5), (ox + rx + 90, oy + ry * 1.05)], darker(colour, 0.3), 26, 9, 0.5)
    s.line([(ox + rx + 30, oy + ry * 0.78), (ox + rx + 96, oy + ry * 1.08)], (30, 28, 28), 30, 10, 0.5)
    s.ellipse(ox, oy + 22, rx * 0.98, ry * 0.98, darker(colour, 0.35), 10, 0.5)
    s.ellipse(ox, oy, rx + 6, ry + 5, lighter(colour, 0.22), 4, 0.5)
    s.ellipse(ox, oy + 3, rx - 3, ry - 3, darker((58, 60, 64), 0.2), 12, 0.5)
    s.ellipse(ox, oy + 8, rx * 0.88, ry * 0.86, (62, 64, 68), 10, 0.25)
    return _standing(s.sprite(), cx, cy, 126, 71, (ox, oy + 7), hob=True)


def _pot(cx: int, cy: int) -> Vessel:
    rx, ry, deep = 132, 66, 104
    s = Sketch(2 * rx + 110, 2 * ry + deep + 50)
    ox, oy = s.width / 2, ry + 18.0
    for side in (-1, 1):
        near, far = ox + side * (rx - 4), ox + side * (rx + 32)
        s.line([(near, oy + 34), (far, oy + 30), (far, oy + 52), (near, oy + 54)], (46, 46, 50), 11, 4, 0.5)
    body = [(ox - rx, oy), (ox + rx, oy), (ox + rx, oy + deep), (ox - rx, oy + deep)]
    s.ellipse(ox, oy + deep, rx, ry * 0.9, STEEL, 10, 0.4).polygon(body, STEEL, 0)
    for k in range(24):
        share = abs(k / 23 - 0.32) * 1.4
        x0 = ox - rx + k * 2 * rx / 24
        bottom = oy + deep + ry * 0.88 * math.sqrt(max(0.0, 1 - ((x0 + rx / 24 - ox) / rx) ** 2))
        outline = [(x0, oy), (x0 + 2 * rx / 24 + 0.5, oy), (x0 + 2 * rx / 24 + 0.5, bottom), (x0, bottom)]
        s.polygon(outline, mixed((236, 238, 242), (112, 116, 124), min(1.0, share)))
    s.ellipse(ox, oy, rx + 5, ry + 4, (226, 228, 232), 3, 0.4)
    s.ellipse(ox, oy + 2, rx - 3, ry - 3, (120, 124, 130), 14, 0.5)
    return _standing(s.sprite(), cx, cy, rx - 8, ry - 7, (ox, oy + 6), hob=True)


def _tray(cx: int, cy: int) -> Vessel:
    width, height = 400, 214
    s = Sketch(width + 60, height + 60)
    ox, oy = s.width / 2, s.height / 2 - 6
    left, top, right, bottom = ox - width / 2, oy - height / 2, ox + width / 2, oy + height / 2
    s.box(left, top + 10, right, bottom + 10, (52, 54, 58), 16, 5, 0.4)
    s.box(left, top, right, bottom, (104, 106, 112), 16, 4, 0.5)
    s.box(left + 14, top + 12, right - 14, bottom - 10, (236, 226, 206), 6, 3, 0.3)
    sprite = _over(s, shadow(width - 10, height - 10, 9, 110), ox + 6, oy + 20)
    return _standing(sprite, cx, cy, 170, 86, (ox, oy))


def _board(colour: Colour, cx: int, cy: int) -> Vessel:
    width, height = 430, 214
    s = Sketch(width + 60, height + 60)
    ox, oy = s.width / 2, s.height / 2 - 6
    left, top, right, bottom = ox - width / 2, oy - height / 2, ox + width / 2, oy + height / 2
    s.box(left, top + 12, right, bottom + 12, darker(colour, 0.35), 14)
    s.box(left, top, right, bottom, colour, 14, 4, 0.3)
    rng = generator("board", *colour)
    for _ in range(22):
        y = rng.uniform(top + 10, bottom - 10)
        x = rng.uniform(left + 10, right - 120)
        s.line([(x, y), (x + rng.uniform(40, 110), y + rng.uniform(-2, 2))], darker(colour, 0.12), 1.4, alpha=150)
    s.ellipse(right - 22, oy, 8, 7, darker(colour, 0.5))
    sprite = _over(s, shadow(width - 10, height - 10, 9, 110), ox + 6, oy + 18)
    return _standing(sprite, cx, cy, 180, 84, (ox, oy))


def _surface(cx: int, cy: int) -> Vessel:
    """The counter itself, dusted with flour."""
    s = Sketch(500, 250)
    rng = generator("dusted")
    for _ in range(40):
        x, y = rng.normal(250, 90), rng.normal(125, 42)
        s.ellipse(float(x), float(y), float(rng.uniform(20, 50)), float(rng.uniform(10, 24)), (250, 248, 242), alpha=26)
    return _standing(s.sprite(), cx, cy, 170, 92, (250, 125))


def _blender(cx: int, cy: int) -> Vessel:
    s = Sketch(230, 330)
    s.polygon([(60, 232), (170, 232), (190, 318), (40, 318)], (70, 72, 80), 10, 0.5)
    s.ellipse(115, 280, 17, 15, (206, 60, 50), 5, 0.5)
    for x in (72, 88, 142, 158):
        s.ellipse(x, 284, 5, 5, (200, 204, 210), 2)
    s.line([(172, 70), (208, 84), (204, 180), (168, 204)], (170, 190, 204), 12, 4, 0.4, alpha=200)
    s.polygon([(48, 30), (182, 30), (166, 232), (64, 232)], (206, 224, 234), 8, 0.3, alpha=120)
    s.ellipse(115, 30, 67, 17, (226, 238, 244), 3, 0.4, alpha=200).ellipse(
        115, 32, 60, 13, (150, 168, 178), 4, alpha=190
    )
    return _standing(s.sprite(), cx, cy, 60, 15, (115, 32))


def _glass(cx: int, cy: int) -> Vessel:
    s = Sketch(170, 250)
    s.polygon([(30, 26), (140, 26), (126, 228), (44, 228)], (214, 230, 238), 8, 0.3, alpha=130)
    s.ellipse(85, 228, 41, 10, (170, 190, 200), 4, alpha=200)
    s.ellipse(85, 26, 55, 14, (232, 242, 248), 3, 0.4, alpha=210).ellipse(85, 28, 49, 10, (160, 178, 188), 3, alpha=180)
    return _standing(s.sprite(), cx, cy, 50, 11, (85, 28))


_VESSELS: dict[Place, Callable[[Style], Vessel]] = {
    Place.BOWL: lambda style: _bowl(style.bowl, 140, 80, 62, 320, 178),
    Place.SMALL_BOWL: lambda style: _bowl(lighter(style.plate, 0.1), 98, 56, 52, 320, 196),
    Place.PAN: lambda style: _pan(style.pan, 300, 196),
    Place.POT: lambda _: _pot(320, 148),
    Place.TRAY: lambda _: _tray(320, 208),
    Place.PLATE: lambda style: _plate(style.plate, 320, 208),
    Place.DISH: lambda style: _dish(style.plate, 320, 208),
    Place.BLENDER: lambda _: _blender(320, 60),
    Place.GLASS: lambda _: _glass(320, 104),
    Place.SURFACE: lambda _: _surface(320, 214),
}


@lru_cache(maxsize=24)
def vessel(where: Place, style: Style) -> Vessel:
    """The vessel of a place, in its usual spot in the middle of the stage; without one, a board."""
    return _VESSELS[where](style) if where in _VESSELS else _board(style.board, 320, 212)


@lru_cache(maxsize=16)
def colander() -> Sprite:
    """A steel sieve with feet."""
    s = Sketch(300, 190)
    s.ellipse(150, 70, 128, 58, (206, 210, 216), 4, 0.5)
    s.blob([(22, 70), (60, 140), (110, 172), (190, 172), (240, 140), (278, 70), (150, 96)], (190, 194, 200), 14, 0.5)
    s.ellipse(150, 72, 118, 50, (140, 144, 152), 12, 0.5)
    for row in range(4):
        for column in range(11):
            x, y = 52 + column * 20 + (row % 2) * 9, 108 + row * 15
            if (x - 150) ** 2 / 118**2 + ((y - 84) / 86) ** 2 < 0.92:
                s.ellipse(x, y, 3.4, 3, (74, 78, 86))
    return s.sprite()


@lru_cache(maxsize=16)
def lid() -> Sprite:
    """A lid with a knob."""
    colour: Colour = (150, 156, 164)
    s = Sketch(300, 130)
    s.ellipse(150, 84, 138, 40, darker(colour, 0.2), 5, 0.5)
    s.blob([(12, 82), (60, 44), (150, 30), (240, 44), (288, 82), (150, 114)], colour, 14, 0.5)
    return s.ellipse(150, 28, 17, 12, (44, 44, 48), 5, 0.6).sprite()
