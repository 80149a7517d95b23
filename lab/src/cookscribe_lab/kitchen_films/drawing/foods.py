"""Whole ingredients as one sees them on a counter."""

from functools import lru_cache, partial

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
    "cucumber": partial(plants.long, bend=5, thick=26, tip=False),
    "zucchini": partial(plants.long, bend=-4, thick=30, tip=True),
    "banana": plants.banana,
    "lettuce": plants.lettuce,
    "cabbage": plants.cabbage,
    "bell pepper": plants.pepper,
    "mushrooms": plants.mushrooms,
    "broccoli": plants.broccoli,
    "spinach": partial(plants.leaves, count=16, long=17, wide=11),
    "parsley": partial(plants.leaves, count=30, long=7, wide=6),
    "cilantro": partial(plants.leaves, count=30, long=7, wide=6),
    "basil": partial(plants.leaves, count=9, long=16, wide=12),
    "peas": partial(groceries.pile, size=5.5, count=50),
    "corn": partial(groceries.pile, size=4.4, count=70),
    "beans": partial(groceries.pile, size=5.5, count=38, oval=1.2),
    "rice": partial(groceries.pile, size=2.0, count=170, oval=2.0),
    "ground beef": partial(groceries.pile, size=4.0, count=90, oval=1.6),
    "avocado": plants.avocado,
    "chili": plants.chili,
    "celery": plants.celery,
    "ginger": plants.ginger,
    "strawberries": plants.strawberries,
    "apple": plants.apple,
    "lemon": plants.lemon,
    "beef": partial(groceries.slab, width=110, height=66, marbled=True),
    "pork": partial(groceries.slab, width=110, height=66, marbled=True),
    "veal": partial(groceries.slab, width=110, height=66, marbled=True),
    "chicken": partial(groceries.slab, width=104, height=58, marbled=False),
    "bacon": groceries.bacon,
    "ham": groceries.ham,
    "sausages": groceries.sausages,
    "salmon": groceries.fillet,
    "cod": groceries.fillet,
    "shrimp": groceries.shrimp,
    "tofu": partial(groceries.block, width=66, depth=34, height=34),
    "cheese": partial(groceries.block, width=72, depth=30, height=40, holes=True),
    "butter": partial(groceries.block, width=76, depth=26, height=26),
    "chocolate": partial(groceries.block, width=80, depth=50, height=12, lines=True),
    "eggs": groceries.eggs,
    "bread": groceries.bread,
    "buns": groceries.buns,
    "tortilla": groceries.tortilla,
    "pasta": partial(groceries.strands, wavy=0.4),
    "noodles": partial(groceries.strands, wavy=4.0),
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
