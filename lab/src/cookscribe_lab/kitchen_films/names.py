"""What things are called: on film a shallot is an onion, halibut is cod, and only an ingredient list can tell.

The kitchen cooks and draws the foods of the `food_table`. Each goes by several names, one of which a recipe draws and
keeps; the film is the same whichever it is. No name stands for two kinds, so a name says what to look for, while a look
says only which few names are possible.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache

import numpy as np

from cookscribe.learning.datasets.records import AnnotatedVideo
from cookscribe_lab.kitchen_films.food_table import FOODS

# Singular and plural agree with the kind's, because sentences say "it" or "them".
NAMES: dict[str, tuple[str, ...]] = {kind: food.names for kind, food in FOODS.items()}
# Dishes that are named after one of their ingredients: "noodle soup".
_AFTER_A_NAME = tuple(
    f" {dish}" for dish in ("soup", "salad", "cake", "stew", "pizza", "toast", "gratin", "omelette", "sandwich")
)
ALL_NAMES: tuple[str, ...] = tuple(name for names in NAMES.values() for name in names)
# Everything is called what it looks like.
BY_KIND: dict[str, str] = {kind: kind for kind in NAMES}


def call(rng: np.random.Generator) -> dict[str, str]:
    """Draw a name for every kind, all of them equally likely."""
    return {kind: names[int(rng.integers(len(names)))] for kind, names in NAMES.items()}


def single(name: str) -> str:
    """The word before another noun: "tomato soup", "strawberry cake"."""
    kind = kind_of(name)
    if not FOODS[kind].plural:
        return name
    for ending, stem in (("ies", "y"), ("toes", "to"), ("shes", "sh"), ("s", "")):
        if name.endswith(ending):
            return name.removesuffix(ending) + stem
    return name


def kind_of(name: str) -> str:
    """The kind that goes by this name."""
    return _kinds()[name]


@cache
def _kinds() -> dict[str, str]:
    return {name: kind for kind, names in NAMES.items() for name in names}


class Naming:
    """Puts other names into words; names are whole words, and the longest counts: "tomato sauce" is no tomato.

    Args:
        names: what each name becomes; all others stay.
    """

    def __init__(self, names: Mapping[str, str]) -> None:
        self._words = {single(old): single(new) for old, new in names.items()} | dict(names)
        parts = sorted({*self._words, *_kinds()}, key=len, reverse=True)
        self._pattern = re.compile(rf"\b({'|'.join(map(re.escape, parts))})\b")

    def __call__(self, text: str) -> str:
        """The same text with other names."""
        return self._pattern.sub(self._other, text)

    def _other(self, found: re.Match[str]) -> str:
        name = found[1]
        new = self._words.get(name, name)
        # "Udon" is many of them, and the word before "soup" as well.
        unclear = name in _kinds() and FOODS[kind_of(name)].plural and single(name) == name
        return single(new) if unclear and found.string.startswith(_AFTER_A_NAME, found.end()) else new


def renamed(video: AnnotatedVideo, called: Mapping[str, str]) -> AnnotatedVideo:
    """The same video where each kind is called otherwise; `called` has a name by kind."""
    names = {name: called[kind_of(name)] for name in video.ingredients}
    naming = Naming(names)
    return replace(video, ingredients=tuple(names.values()), sentences=tuple(map(naming, video.sentences)))
