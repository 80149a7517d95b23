"""Which words name a food, where nobody listed the ingredients: those of `foods.txt`, and what is made of them.

A name ends with a food ("extra virgin olive oil"), and goes on where a second word makes a new thing of the first
("chicken stock", "egg yolk").
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources

from cookscribe.text.ingredients import canonical


@dataclass(frozen=True)
class Foods:
    """Words and short names of foods, each a tuple of words as `canonical` spells them.

    Attributes:
        counted: those that a number may stand before ("egg").
        other: those that are measured ("flour").
        second: words that make a new thing of the food before them.
        before: words that may stand between a number and a counted food.
        dishes: words that end the name of a dish.
    """

    counted: frozenset[tuple[str, ...]]
    other: frozenset[tuple[str, ...]]
    second: frozenset[str]
    before: frozenset[str]
    dishes: frozenset[tuple[str, ...]]

    def at(self, words: Sequence[str], place: int) -> int:
        """How many words from `place` on name a food: the longest name, then further words that make a new thing."""
        sizes = range(1, 1 + min(3, len(words) - place))
        length = max((size for size in sizes if self._known(words[place : place + size])), default=0)
        while length and place + length < len(words) and canonical(words[place + length]) in self.second:
            length += 1
        return length

    def counts(self, words: Sequence[str]) -> bool:
        """Whether a number may stand before this name, by its last words."""
        keys = tuple(map(canonical, words))
        return _ends_with(keys, self.counted)

    def is_dish(self, words: Sequence[str]) -> bool:
        """Whether this may be the name of a dish, by its last words."""
        return _ends_with(tuple(map(canonical, words)), self.dishes)

    def is_only_a_dish(self, words: Sequence[str]) -> bool:
        """Whether this names a dish and no food that others are made of: soup, but not rice."""
        return tuple(map(canonical, words)) in self.dishes and not self._known(words)

    def _known(self, words: Sequence[str]) -> bool:
        keys = tuple(map(canonical, words))
        return keys in self.counted or keys in self.other

    def with_names(self, names: Iterable[str]) -> Foods:
        """These and the ingredients of a recipe, any of which may be counted."""
        new = {tuple(map(canonical, name.lower().split())) for name in names}
        return replace(self, counted=self.counted | {key for key in new if 0 < len(key) <= 3})


def _ends_with(keys: tuple[str, ...], endings: frozenset[tuple[str, ...]]) -> bool:
    return any(keys[-size:] in endings for size in (1, 2, 3) if size <= len(keys))


@cache
def common_foods() -> Foods:
    """The foods that come with the program."""
    lines = resources.files("cookscribe.text").joinpath("foods.txt").read_text(encoding="utf-8").splitlines()
    groups: dict[str, set[tuple[str, ...]]] = {}
    name = ""
    for line in lines:
        if line.startswith("# "):  # the next group
            name = line[2:].split(":")[0]
            groups[name] = set()
        else:
            # A hyphen stands for a blank, a plus sign for a hyphen.
            parts = (word.split("-") for word in line.split())
            groups[name] |= {tuple(canonical(part.replace("+", "-")) for part in word) for word in parts}
    single = {key: frozenset(words[0] for words in groups[key] if len(words) == 1) for key in ("second", "before")}
    counted, other, dishes = (frozenset(groups[key]) for key in ("counted", "other", "dish"))
    return Foods(counted, other, single["second"], single["before"], dishes)
