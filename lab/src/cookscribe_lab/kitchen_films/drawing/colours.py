"""The colours of ingredients: skin, flesh and a mark; and what heat does to them."""

from __future__ import annotations

from dataclasses import dataclass

from cookscribe_lab.kitchen_films.drawing.paint import Colour, mixed
from cookscribe_lab.kitchen_films.states import Heat


@dataclass(frozen=True)
class Palette:
    """Colours of one ingredient.

    Attributes:
        skin: what one sees of the whole thing.
        flesh: what one sees when it is cut, mashed or poured.
        mark: seeds, fibres, rims.
    """

    skin: Colour
    flesh: Colour
    mark: Colour


PALETTES: dict[str, Palette] = {
    "onion": Palette((146, 42, 84), (246, 228, 238), (178, 70, 126)),
    "garlic": Palette((238, 228, 214), (248, 240, 208), (190, 160, 170)),
    "carrots": Palette((240, 122, 28), (250, 146, 42), (255, 190, 96)),
    "potatoes": Palette((176, 132, 78), (246, 222, 142), (222, 190, 104)),
    "tomatoes": Palette((214, 40, 30), (232, 84, 62), (250, 206, 120)),
    "cucumber": Palette((38, 100, 44), (198, 228, 158), (236, 246, 204)),
    "lettuce": Palette((110, 188, 58), (160, 214, 92), (222, 242, 172)),
    "cabbage": Palette((172, 206, 138), (222, 236, 192), (244, 248, 226)),
    "bell pepper": Palette((240, 196, 24), (250, 216, 70), (252, 240, 180)),
    "mushrooms": Palette((206, 180, 150), (240, 226, 206), (126, 94, 70)),
    "broccoli": Palette((44, 120, 44), (70, 146, 56), (158, 200, 110)),
    "spinach": Palette((28, 96, 36), (40, 116, 44), (104, 164, 76)),
    "zucchini": Palette((66, 128, 48), (226, 234, 178), (126, 170, 84)),
    "corn": Palette((250, 208, 50), (252, 216, 70), (226, 168, 22)),
    "peas": Palette((98, 178, 50), (116, 196, 62), (66, 138, 34)),
    "avocado": Palette((52, 64, 36), (190, 206, 96), (232, 232, 150)),
    "chili": Palette((200, 22, 26), (222, 56, 40), (246, 222, 150)),
    "celery": Palette((150, 200, 100), (190, 224, 144), (110, 168, 66)),
    "ginger": Palette((202, 164, 104), (242, 222, 140), (172, 134, 82)),
    "banana": Palette((250, 214, 54), (252, 240, 190), (214, 180, 100)),
    "strawberries": Palette((222, 30, 52), (246, 110, 110), (255, 222, 196)),
    "apple": Palette((178, 212, 58), (250, 246, 214), (120, 76, 36)),
    "lemon": Palette((252, 226, 40), (254, 242, 130), (255, 252, 210)),
    "beef": Palette((168, 40, 44), (186, 56, 56), (242, 206, 196)),
    "pork": Palette((168, 40, 44), (186, 56, 56), (242, 206, 196)),
    "veal": Palette((168, 40, 44), (186, 56, 56), (242, 206, 196)),
    "chicken": Palette((244, 196, 172), (248, 208, 188), (226, 168, 146)),
    "bacon": Palette((190, 62, 60), (196, 70, 66), (250, 222, 204)),
    "ham": Palette((244, 154, 164), (248, 170, 176), (252, 222, 220)),
    "sausages": Palette((160, 74, 48), (196, 110, 86), (120, 52, 36)),
    "ground beef": Palette((174, 58, 60), (184, 70, 70), (226, 150, 144)),
    "salmon": Palette((250, 134, 92), (252, 146, 104), (255, 210, 184)),
    "cod": Palette((232, 232, 226), (244, 242, 236), (208, 214, 214)),
    "shrimp": Palette((170, 178, 186), (196, 200, 206), (112, 122, 132)),
    "tofu": Palette((246, 238, 214), (250, 244, 224), (224, 212, 180)),
    "cheese": Palette((252, 196, 40), (254, 212, 76), (226, 160, 24)),
    "butter": Palette((254, 234, 130), (252, 224, 96), (236, 200, 70)),
    "chocolate": Palette((84, 46, 26), (96, 54, 32), (58, 30, 16)),
    "eggs": Palette((236, 200, 164), (252, 252, 246), (252, 178, 24)),
    "bread": Palette((186, 118, 56), (250, 228, 180), (160, 96, 44)),
    "buns": Palette((206, 132, 58), (252, 232, 190), (250, 236, 200)),
    "tortilla": Palette((244, 222, 172), (246, 226, 178), (206, 160, 96)),
    "rice": Palette((252, 250, 240), (252, 250, 240), (224, 220, 204)),
    "pasta": Palette((246, 206, 104), (248, 214, 122), (222, 172, 66)),
    "noodles": Palette((246, 226, 164), (248, 230, 174), (214, 184, 112)),
    "beans": Palette((126, 40, 36), (136, 48, 42), (84, 24, 24)),
    "flour": Palette((252, 250, 246), (252, 250, 246), (228, 226, 220)),
    "sugar": Palette((252, 250, 246), (252, 250, 246), (228, 226, 220)),
    "salt": Palette((252, 250, 246), (252, 250, 246), (228, 226, 220)),
    "black pepper": Palette((58, 52, 48), (62, 56, 52), (30, 26, 24)),
    "paprika": Palette((196, 52, 18), (200, 56, 20), (150, 32, 10)),
    "cinnamon": Palette((146, 84, 40), (150, 88, 44), (106, 56, 24)),
    "breadcrumbs": Palette((226, 176, 102), (230, 182, 110), (196, 142, 70)),
    "parsley": Palette((48, 136, 40), (56, 146, 46), (96, 184, 70)),
    "cilantro": Palette((48, 136, 40), (56, 146, 46), (96, 184, 70)),
    "basil": Palette((20, 104, 52), (26, 112, 58), (82, 160, 90)),
    "oil": Palette((230, 196, 40), (240, 206, 60), (250, 234, 140)),
    "water": Palette((176, 216, 236), (186, 222, 240), (232, 246, 252)),
    "stock": Palette((206, 142, 54), (212, 150, 62), (236, 192, 112)),
    "milk": Palette((252, 252, 250), (252, 252, 250), (230, 232, 236)),
    "cream": Palette((252, 252, 250), (252, 252, 250), (230, 232, 236)),
    "soy sauce": Palette((52, 24, 14), (58, 28, 16), (110, 58, 30)),
    "vinegar": Palette((214, 176, 150), (222, 190, 164), (244, 226, 208)),
    "honey": Palette((236, 150, 16), (240, 158, 24), (252, 206, 96)),
    "tomato sauce": Palette((200, 38, 20), (206, 44, 24), (236, 96, 62)),
    "ketchup": Palette((200, 38, 20), (206, 44, 24), (236, 96, 62)),
    "mayonnaise": Palette((252, 244, 214), (254, 248, 222), (236, 224, 180)),
    "mustard": Palette((222, 174, 22), (228, 182, 30), (196, 148, 10)),
}

BROWN: Colour = (128, 70, 26)
GOLD: Colour = (222, 152, 58)
CHAR: Colour = (72, 40, 20)

# What heat dyes things with, and how strongly.
_HEATED: dict[Heat, tuple[Colour, float]] = {
    Heat.SEARED: (GOLD, 0.25),
    Heat.FRIED: (BROWN, 0.26),
    Heat.BOILED: ((212, 196, 170), 0.28),
    Heat.BAKED: ((196, 118, 44), 0.32),
    Heat.TOASTED: ((186, 110, 44), 0.55),
}
_BOILED_COLOURS: dict[str, Colour] = {
    "shrimp": (250, 150, 110),
    "beef": (150, 118, 104),
    "pork": (150, 118, 104),
    "veal": (150, 118, 104),
    "chicken": (246, 232, 214),
}
_FRIED_COLOURS: dict[str, Colour] = {"shrimp": (250, 138, 92), "eggs": (250, 214, 90)}


def heated(name: str, colour: Colour, heat: Heat) -> Colour:
    """The colour after heat."""
    if heat is Heat.BOILED and name in _BOILED_COLOURS:
        return mixed(colour, _BOILED_COLOURS[name], 0.85)
    if heat in (Heat.FRIED, Heat.SEARED, Heat.BAKED) and name in _FRIED_COLOURS:
        return mixed(colour, _FRIED_COLOURS[name], 0.8)
    if heat in _HEATED:
        tint, share = _HEATED[heat]
        return mixed(colour, tint, share)
    return colour


def palette(name: str, heat: Heat = Heat.RAW) -> Palette:
    """The colours of an ingredient after heat."""
    raw = PALETTES[name]
    if heat in (Heat.RAW, Heat.HOT, Heat.MELTED):
        return raw
    return Palette(heated(name, raw.skin, heat), heated(name, raw.flesh, heat), heated(name, raw.mark, heat))
