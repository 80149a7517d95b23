"""Whole ingredients as one sees them on a counter."""

from __future__ import annotations

from functools import lru_cache

from cookscribe.seeds import generator
from cookscribe_lab.kitchen_films.drawing import groceries, plants
from cookscribe_lab.kitchen_films.drawing.colours import CHAR, darker, mixed, palette
from cookscribe_lab.kitchen_films.drawing.paint import Sprite, patched
from cookscribe_lab.kitchen_films.food_table import FOODS, Palette
from cookscribe_lab.kitchen_films.states import Heat

_PAINTERS: dict[str, plants.Painter] = {
    "tomatoes": plants.tomato,
    "onion": plants.onion,
    "garlic": plants.garlic,
    "carrots": plants.carrots,
    "potatoes": plants.potatoes,
    "cucumber": plants.long(5, 26, False, True),
    "zucchini": plants.long(-4, 30, True, True),
    "banana": plants.banana,
    "lettuce": plants.lettuce,
    "cabbage": plants.cabbage,
    "bell pepper": plants.pepper,
    "mushrooms": plants.mushrooms,
    "broccoli": plants.broccoli,
    "spinach": plants.leaves(16, 17, 11, True),
    "parsley": plants.leaves(30, 7, 6, True),
    "cilantro": plants.leaves(30, 7, 6, True),
    "basil": plants.leaves(9, 16, 12, True),
    "peas": groceries.pile(5.5, 50),
    "corn": groceries.pile(4.4, 70),
    "beans": groceries.pile(5.5, 38, 1.2),
    "rice": groceries.pile(2.0, 170, 2.0),
    "ground beef": groceries.pile(4.0, 90, 1.6),
    "avocado": plants.avocado,
    "chili": plants.chili,
    "celery": plants.celery,
    "ginger": plants.ginger,
    "strawberries": plants.strawberries,
    "apple": plants.apple,
    "lemon": plants.lemon,
    "beef": groceries.slab(110, 66, True),
    "pork": groceries.slab(110, 66, True),
    "veal": groceries.slab(110, 66, True),
    "chicken": groceries.slab(104, 58, False),
    "bacon": groceries.bacon,
    "ham": groceries.ham,
    "sausages": groceries.sausages,
    "salmon": groceries.fillet,
    "cod": groceries.fillet,
    "shrimp": groceries.shrimp,
    "tofu": groceries.block(66, 34, 34),
    "cheese": groceries.block(72, 30, 40, holes=True),
    "butter": groceries.block(76, 26, 26),
    "chocolate": groceries.block(80, 50, 12, lines=True),
    "eggs": groceries.eggs,
    "bread": groceries.bread,
    "buns": groceries.buns,
    "tortilla": groceries.tortilla,
    "pasta": groceries.strands(0.4),
    "noodles": groceries.strands(4.0),
}


def has_body(name: str) -> bool:
    """Whether the ingredient lies on the counter by itself; powders and liquids come in something."""
    return name in _PAINTERS


@lru_cache(maxsize=256)
def whole(name: str, heat: Heat = Heat.RAW, peeled: bool = False) -> Sprite:
    """The ingredient in one piece."""
    rng = generator("whole", FOODS[name].group or name)
    colours = palette(name, heat)
    if peeled:
        skin = (252, 248, 240) if name == "eggs" else mixed(colours.flesh, colours.skin, 0.12)
        colours = Palette(skin, colours.flesh, darker(skin, 0.12))
    sprite = _PAINTERS[name](colours, rng)
    if heat in (Heat.SEARED, Heat.FRIED, Heat.BAKED):
        sprite = patched(sprite, CHAR, 0.5, rng, 6.0, 0.25 if heat is Heat.SEARED else 0.4)
    return sprite
