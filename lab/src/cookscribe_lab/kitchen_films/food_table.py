"""The food table of the drawn kitchen: every ingredient, what can be done with it, what it is called and looks like.

`foods.csv` has a row for each. Its columns are the attributes of `Ingredient`; colours are red, green and blue in
hexadecimal digits. Members of one group look alike, so only the first of them has colours.
"""

import csv
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

Colour = tuple[int, int, int]


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


@dataclass(frozen=True)
class Ingredient:
    """One ingredient.

    Attributes:
        name: as sentences and ingredient lists say it.
        kind: how it is handled.
        abilities: actions that ask for a suitable ingredient (see `actions.ACTIONS`) and find one here.
        plural: the pronoun is "them" instead of "it".
        group: ingredients of one group look alike; only an ingredient list can tell them apart.
        names: its own, and others for things that look the same in a drawing (see `names`).
        palette: its colours when it is raw.
        boiled, fried: what it is dyed with by boiling or frying, if that is a colour of its own.
        bulk: how much of it is seen in a mixture, 1 for most.
    """

    name: str
    kind: Kind
    abilities: frozenset[str]
    plural: bool
    group: str
    names: tuple[str, ...]
    palette: Palette
    boiled: Colour | None
    fried: Colour | None
    bulk: float


def _read(path: Path) -> dict[str, Ingredient]:
    foods: dict[str, Ingredient] = {}
    firsts: dict[str, dict[str, str]] = {}
    with path.open(newline="", encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            name, group = row["name"], row["group"]
            look = firsts.setdefault(group, row) if group else row
            foods[name] = Ingredient(
                name=name,
                kind=Kind(row["kind"]),
                abilities=frozenset(row["abilities"].split()),
                plural=row["number"] == "many",
                group=group,
                names=(name, *(row["other_names"].split("; ") if row["other_names"] else ())),
                palette=Palette(*(_colour(look[part]) for part in ("skin", "flesh", "mark"))),
                boiled=_colour(look["boiled"]) if look["boiled"] else None,
                fried=_colour(look["fried"]) if look["fried"] else None,
                bulk=float(row["bulk"] or 1),
            )
    return foods


def _colour(digits: str) -> Colour:
    red, green, blue = bytes.fromhex(digits)
    return red, green, blue


FOODS: dict[str, Ingredient] = _read(Path(__file__).with_name("foods.csv"))
FATS = frozenset({"oil", "butter", "bacon"})
WATERS = frozenset({"water", "stock"})
