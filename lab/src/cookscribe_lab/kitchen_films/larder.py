"""The larder of the simulated kitchen: every ingredient, what can be done with it, and what looks like it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """What sort of thing an ingredient is; it decides how it is handled (poured, sprinkled, cut)."""

    VEGETABLE = "vegetable"
    FRUIT = "fruit"
    MEAT = "meat"
    FISH = "fish"
    DAIRY = "dairy"
    EGG = "egg"
    BREAD = "bread"
    GRAIN = "grain"
    POWDER = "powder"
    HERB = "herb"
    LIQUID = "liquid"
    SAUCE = "sauce"


@dataclass(frozen=True)
class Ingredient:
    """One ingredient.

    Attributes:
        name: as sentences and ingredient lists say it.
        kind: how it is handled.
        abilities: actions that ask for a suitable ingredient (see `world.ACTIONS`) and find one here.
        plural: the pronoun is "them" instead of "it".
        group: ingredients of one group look alike; only an ingredient list can tell them apart.
    """

    name: str
    kind: Kind
    abilities: frozenset[str]
    plural: bool = False
    group: str = ""


def _rows(kind: Kind, table: str) -> list[Ingredient]:
    """One ingredient a line: `name | abilities | marks`; marks are `plural` and `like=GROUP`."""
    rows = []
    for line in table.strip().splitlines():
        name, abilities, *rest = (part.strip() for part in line.split("|"))
        marks = rest[0].split() if rest else []
        group = next((mark.removeprefix("like=") for mark in marks if mark.startswith("like=")), "")
        rows.append(Ingredient(name, kind, frozenset(abilities.split()), "plural" in marks, group))
    return rows


_ALL = [
    *_rows(
        Kind.VEGETABLE,
        """
        onion        | peel slice chop grate fry boil bake layer
        garlic       | peel slice chop grate fry
        carrots      | peel slice chop grate fry boil bake | plural
        potatoes     | peel slice chop grate fry boil bake mash | plural
        tomatoes     | slice chop fry bake layer blend | plural
        cucumber     | peel slice chop grate layer
        lettuce      | slice chop layer
        cabbage      | slice chop grate fry boil
        bell pepper  | slice chop fry bake layer
        mushrooms    | slice chop fry boil bake layer | plural
        broccoli     | chop fry boil bake
        spinach      | chop fry boil layer blend
        zucchini     | slice chop grate fry bake
        corn         | fry
        peas         | fry boil mash | plural
        avocado      | slice chop mash layer blend
        chili        | slice chop fry
        celery       | slice chop fry boil
        ginger       | peel slice chop grate fry
        """,
    ),
    *_rows(
        Kind.FRUIT,
        """
        banana       | peel slice chop blend
        strawberries | slice chop blend | plural
        apple        | peel slice chop grate bake blend
        lemon        | squeeze
        """,
    ),
    *_rows(
        Kind.MEAT,
        """
        beef         | slice chop fry sear boil bake | like=meat
        pork         | slice chop fry sear boil bake | like=meat
        veal         | slice chop fry sear boil bake | like=meat
        chicken      | slice chop fry sear boil bake layer
        bacon        | slice chop fry bake layer
        ham          | slice chop fry layer
        sausages     | slice chop fry bake | plural
        ground beef  | fry
        """,
    ),
    *_rows(
        Kind.FISH,
        """
        salmon       | slice sear bake
        cod          | slice sear bake
        shrimp       | fry sear boil
        tofu         | slice chop fry boil
        """,
    ),
    *_rows(
        Kind.DAIRY,
        """
        cheese       | slice chop grate layer
        butter       | melt spread
        chocolate    | chop grate
        """,
    ),
    *_rows(Kind.EGG, "eggs | crack boil peel slice chop | plural"),
    *_rows(
        Kind.BREAD,
        """
        bread        | toast base
        buns         | base | plural
        tortilla     | base wrap
        """,
    ),
    *_rows(
        Kind.GRAIN,
        """
        rice         | boil
        pasta        | boil
        noodles      | boil | plural
        beans        | boil mash | plural
        """,
    ),
    *_rows(
        Kind.POWDER,
        """
        flour        | dip | like=white-powder
        sugar        | season | like=white-powder
        salt         | season | like=white-powder
        black pepper | season
        paprika      | season
        cinnamon     | season
        breadcrumbs  | dip | plural
        """,
    ),
    *_rows(
        Kind.HERB,
        """
        parsley      | chop | like=herb
        cilantro     | chop | like=herb
        basil        | chop
        """,
    ),
    *_rows(
        Kind.LIQUID,
        """
        oil          | heat
        water        | heat
        stock        | heat
        milk         | pour | like=white-liquid
        cream        | pour | like=white-liquid
        soy sauce    | pour
        vinegar      | pour
        honey        | pour
        """,
    ),
    *_rows(
        Kind.SAUCE,
        """
        tomato sauce | spread | like=red-sauce
        ketchup      | spread | like=red-sauce
        mayonnaise   | spread
        mustard      | spread
        """,
    ),
]

LARDER: dict[str, Ingredient] = {ingredient.name: ingredient for ingredient in _ALL}
FATS = frozenset({"oil", "butter", "bacon"})
WATERS = frozenset({"water", "stock"})


def able(action: str, *kinds: Kind) -> tuple[str, ...]:
    """Names, in larder order, of the ingredients (of these kinds, or of any) that `action` may be done with."""
    return tuple(
        name for name, item in LARDER.items() if action in item.abilities and (not kinds or item.kind in kinds)
    )
