"""What powders, liquids and cut food come in: bottles, jugs, jars, shakers, little dishes."""

from functools import lru_cache

import numpy as np
from PIL import Image

from cookscribe_lab.kitchen_films.drawing.assembly import picture_of
from cookscribe_lab.kitchen_films.drawing.colours import darker, lighter, palette
from cookscribe_lab.kitchen_films.drawing.contents import Portion, blend_colour
from cookscribe_lab.kitchen_films.drawing.foods import has_body, whole
from cookscribe_lab.kitchen_films.drawing.paint import Sketch, Sprite, centred, place, shadow, smooth
from cookscribe_lab.kitchen_films.food_table import FOODS, Colour, Kind
from cookscribe_lab.kitchen_films.states import Cut, Form


def _bottle(colour: Colour, cap: Colour) -> Sprite:
    s = Sketch(76, 158)
    s.polygon(
        smooth([(14, 150), (10, 84), (28, 52), (30, 22), (46, 22), (48, 52), (66, 84), (62, 150)], 10), colour, 9, 0.5
    )
    s.box(27, 8, 49, 28, cap, 4, 4, 0.5)
    s.box(12, 92, 64, 130, (246, 240, 226), 3, 3, 0.2)
    return s.line([(22, 70), (18, 140)], lighter(colour, 0.6), 3, alpha=140).sprite()


def _jug(colour: Colour) -> Sprite:
    s = Sketch(120, 132)
    s.line([(96, 44), (116, 50), (114, 92), (94, 102)], (190, 204, 212), 9, 3, 0.4, alpha=220)
    s.polygon([(18, 22), (100, 22), (92, 122), (30, 122)], (214, 228, 236), 8, 0.3, alpha=170)
    s.polygon([(21, 46), (98, 46), (91, 119), (31, 119)], colour, 8, 0.35)
    s.ellipse(59.5, 46, 38, 8, lighter(colour, 0.3), 2)
    s.ellipse(59, 22, 42, 9, (232, 240, 246), 2, 0.4, alpha=210)
    return s.polygon([(18, 22), (4, 14), (26, 17)], (226, 236, 242), 2).sprite()


def _jar(colour: Colour, top: Colour) -> Sprite:
    s = Sketch(92, 112)
    s.box(10, 26, 82, 106, colour, 14, 10, 0.5)
    s.box(12, 8, 80, 32, top, 5, 5, 0.5)
    return s.box(18, 50, 74, 84, (250, 244, 230), 4, 3, 0.2).sprite()


def _shaker(colour: Colour) -> Sprite:
    s = Sketch(58, 94)
    s.polygon([(10, 34), (48, 34), (52, 88), (6, 88)], (226, 234, 240), 7, 0.4, alpha=220)
    s.polygon([(12, 52), (46, 52), (50, 85), (9, 85)], colour, 5, 0.4)
    s.blob([(10, 34), (14, 12), (29, 6), (44, 12), (48, 34)], (176, 180, 188), 7, 0.5)
    for x in (22, 29, 36):
        s.ellipse(x, 15, 1.8, 1.6, (60, 62, 66))
    return s.sprite()


def _little_bowl(colour: Colour) -> Sprite:
    s = Sketch(118, 82)
    s.blob([(8, 32), (26, 68), (59, 77), (92, 68), (110, 32), (59, 44)], (228, 226, 222), 9, 0.4)
    s.ellipse(59, 32, 52, 21, (244, 242, 238), 3, 0.4).ellipse(59, 33, 46, 17, darker(colour, 0.12), 5, 0.3)
    s.blob([(20, 32), (38, 17), (59, 12), (80, 17), (98, 32), (59, 45)], colour, 10, 0.4)
    return s.grain(np.random.default_rng(3), 9).sprite()


@lru_cache(maxsize=128)
def container(name: str) -> Sprite:
    """The usual package of an ingredient that does not lie about by itself."""
    colour = palette(name).skin
    kind = FOODS[name].kind
    if name in ("oil", "soy sauce", "vinegar"):
        return _bottle(colour, {"oil": (60, 110, 50), "soy sauce": (190, 40, 36), "vinegar": (60, 50, 70)}[name])
    if name == "honey":
        return _jar(colour, (226, 190, 60))
    if kind is Kind.LIQUID:
        return _jug(colour)
    if kind is Kind.SAUCE:
        return _jar(colour, {"mayonnaise": (50, 90, 170), "mustard": (70, 60, 40)}.get(name, (240, 240, 236)))
    return _little_bowl(colour)


def shaker(name: str) -> Sprite:
    """What spices are shaken from."""
    return _shaker(palette(name).skin)


@lru_cache(maxsize=256)
def waiting(item: Portion) -> Sprite:
    """An ingredient that stands by, as it is now: a vegetable, a bottle, a dish of what was cut."""
    as_it_came = item.cut is Cut.WHOLE and item.form in (Form.LOOSE,)
    if as_it_came and has_body(item.name):
        body = whole(item.name, item.heat)
        result = Image.new("RGBA", (body.width + 16, body.height + 18))
        centred(result, shadow(round(body.width * 0.8), 18, 5, 90), result.width / 2 + 3, body.height - 4)
        place(result, body, 8, 4)
        return result
    if as_it_came and FOODS[item.name].kind in (Kind.LIQUID, Kind.SAUCE, Kind.POWDER):
        return container(item.name)
    return little_dish((item,))


@lru_cache(maxsize=96)
def little_dish(items: tuple[Portion, ...]) -> Sprite:
    """A dish with what was prepared."""
    s = Sketch(168, 112)
    s.ellipse(84, 64, 76, 40, (200, 200, 198)).ellipse(84, 56, 77, 42, (238, 238, 234), 5, 0.4)
    s.ellipse(84, 57, 64, 33, (222, 222, 218), 6, 0.3)
    sprite = s.sprite()
    centred(sprite, picture_of(items, 62, 33, 5), 84, 55)
    return sprite


@lru_cache(maxsize=128)
def jug_of(items: tuple[Portion, ...]) -> Sprite:
    """A jug with a mixture in it, for pouring."""
    return _jug(blend_colour(items))
