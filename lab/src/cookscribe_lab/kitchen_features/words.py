"""The words the kitchen knows: what looks like what, what each action does, and which vessel it needs.

`words.json` has them; `_` joins the words of one name.

- `foods` stand in families (related looks) of look-alike groups (the same look: only an ingredient list tells their
  members apart). A food that stands nowhere there gets a look of its own, made from its last word, so any annotation
  can be shown.
- `actions` and `vessels` stand in families, too.
- `effects`: family of actions -> the state it brings food into, and the vessels it can be done in, the usual first
  (none: any).
- `states`: what a change of state leaves of the food's own look, and how strong the look of the state is.
- `made before`: words (in canonical spelling) that stand for what has been made so far.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, TypeVar

from cookscribe.files import read_json
from cookscribe.text.ingredients import canonical
from cookscribe.text.tokens import ptb_tokens

Entry = TypeVar("Entry")

LONGEST_NAME = 4  # words
_WORDS: dict[str, Any] = read_json(Path(__file__).with_name("words.json"))
STATES: dict[str, tuple[float, float]] = {name: (kept, strength) for name, (kept, strength) in _WORDS["states"].items()}
MIXTURE_WORDS = frozenset(_WORDS["made before"].split())


@dataclass(frozen=True)
class Food:
    """The look of a food: its look-alike group and the family the group belongs to."""

    group: str
    family: str


@dataclass(frozen=True)
class Effect:
    """What an action does to food: its new state ("" for none), and the vessels it can be done in (empty: any)."""

    state: str
    vessels: tuple[str, ...]


def look_up(table: Mapping[tuple[str, ...], Entry], words: tuple[str, ...]) -> Entry | None:
    """The entry of a name, as written or in the other number ("tomatoes" for "tomato")."""
    return table.get(words) or table.get(tuple(map(canonical, words)))


@cache
def foods() -> dict[tuple[str, ...], Food]:
    """Every food name, as a tuple of words, both as written and in canonical spelling, with its look."""
    written: dict[tuple[str, ...], Food] = {}
    keys: dict[tuple[str, ...], Food] = {}
    for family, groups in _WORDS["foods"].items():
        for members in groups:
            names = [tuple(name.split("_")) for name in members.split()]
            look = Food(group=" ".join(names[0]), family=family)
            for name in names:
                written.setdefault(name, look)
                keys.setdefault(tuple(map(canonical, name)), look)
    return keys | written


@cache
def look_alikes() -> dict[str, tuple[str, ...]]:
    """Group name -> the names of its members, for every group."""
    return {
        members.split()[0].replace("_", " "): tuple(name.replace("_", " ") for name in members.split())
        for groups in _WORDS["foods"].values()
        for members in groups
    }


@lru_cache(maxsize=20000)
def food(name: str) -> Food:
    """The look of an ingredient by name: the longest known part of it, the last one first; else a look of its own."""
    words = tuple(ptb_tokens(name))
    for length in range(min(LONGEST_NAME, len(words)), 0, -1):
        for start in range(len(words) - length, -1, -1):
            found = look_up(foods(), words[start : start + length])
            if found:
                return found
    return Food(group=canonical(words[-1]) if words else "", family="other")


@cache
def action_families() -> dict[str, str]:
    """Action -> its family."""
    return {verb: family for family, verbs in _WORDS["actions"].items() for verb in reversed(verbs.split())}


def action_family(verb: str) -> str:
    """The family of an action; one the kitchen does not know is a family of its own."""
    return action_families().get(verb, verb)


@cache
def effect(family: str) -> Effect:
    """What an action of this family leaves behind."""
    state, places = _WORDS["effects"].get(family, ("", ""))
    return Effect(state, tuple(places.split()))


@cache
def vessels() -> dict[tuple[str, ...], str]:
    """Every vessel name, as a tuple of words, with the vessel it looks like."""
    return {tuple(name.split("_")): vessel for vessel, names in _WORDS["vessels"].items() for name in names.split()}
