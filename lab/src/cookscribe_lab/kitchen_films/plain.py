"""The plain wording: the house style of one cookbook, where what is done and what is seen decide every word.

`grammar` phrases an act by chance, as many annotators would; which of its ways it took nobody can know from a film.
Here the same acts in the same states always get the same sentence: cut and cooked things are called so ("the chopped
onion"), a vessel that holds something goes by what is in it ("add the peas to the fried bacon"), an empty one by its
name ("a bowl"), and what has just been named is not named again ("pour milk over the eggs and whisk").
"""

from collections.abc import Sequence
from dataclasses import dataclass

from cookscribe_lab.kitchen_films import grammar
from cookscribe_lab.kitchen_films.food_table import FATS, FOODS, WATERS
from cookscribe_lab.kitchen_films.grammar import UNCOUNTED, listing
from cookscribe_lab.kitchen_films.states import Act, Form, Heat, Place, State
from cookscribe_lab.kitchen_films.world import contents, perform

# {x} what is acted on, {v} the vessel, {b} the base, {m} what comes out. The first way of `grammar`, but for some.
ALONE: dict[str, str] = {
    **{
        action: ways[0] for action, ways in grammar.TEMPLATES.items() if action not in ("season", "sprinkle", "squeeze")
    },
    "mix": "mix {x}",
    "toss": "toss {x}",
    "blend": "blend {x} until smooth",
    "knead": "knead the {m}",
    "sear": "cook {x} on one side",
    "flip": "flip {x} and cook the other side",
    "boil": "boil {x} in {v}",
    "simmer": "cover {v} and simmer {x}",
    "close": "close {x}",
    "remove": "take {x} out of {v}",
}
# Where something is in the vessel already: {c}.
ONTO: dict[str, str] = {
    "crack": "crack {x} over {c}",
    "add": "add {x} to {c}",
    "pour": "pour {x} over {c}",
    "season": "season {c} with {x}",
    "sprinkle": "sprinkle {x} over {c}",
    "squeeze": "squeeze {x} over {c}",
    "fry": "fry {x} with {c}",
    "boil": "boil {x} with {c}",
}
MOST = 4  # units named one by one; more are "the ingredients"
MAIN = 2  # units that stand for all that is in a vessel
# These take all that is in the vessel; behind another act they need no object.
STIRRING = frozenset({"whisk", "mix", "toss", "stir", "blend"})
NAMES_RESULT = frozenset({"divide", "serve", "bake", "sear"})
WORN_OUT = (Heat.HOT, Heat.MELTED, Heat.FRIED, Heat.BOILED)
ADJECTIVES = grammar.ADJECTIVES | {Heat.TOASTED: "toasted"}
FAT = FATS - {"bacon"}


@dataclass(frozen=True)
class Unit:
    """What goes by one name: an ingredient in its state, or a mixture."""

    name: str
    adjective: str = ""


def units(names: Sequence[str], state: State) -> list[Unit]:
    """Mixtures once, ingredients with the state one can see, fat that did its work not at all."""
    seen = [name for name in names if not (name in FAT and state[name].heat in WORN_OUT)] or names
    found = [Unit(state[name].mixture) if state[name].mixture else Unit(name, adjective(name, state)) for name in seen]
    return list(dict.fromkeys(found))


def adjective(name: str, state: State) -> str:
    """How it was cut, or else what heat did to it."""
    item = state[name]
    return ADJECTIVES.get(item.cut) or ADJECTIVES.get(item.heat) or ""


def phrase(found: Sequence[Unit]) -> str:
    """ "the sliced onion and carrots": an adjective holds until another one comes."""
    words, last = [], ""
    for unit in found:
        words.append(f"{unit.adjective} {unit.name}" if unit.adjective and unit.adjective != last else unit.name)
        last = unit.adjective
    return f"the {listing(words)}"


def named(names: Sequence[str], state: State) -> str:
    """A noun phrase: new spices and liquids without an article, many things as "the ingredients"."""
    found = units(names, state)
    if len(found) > MOST:
        return "the ingredients"
    if all(state[name].place is Place.COUNTER and FOODS[name].kind in UNCOUNTED for name in names):
        return listing([unit.name for unit in found])
    return phrase(found)


def main_content(inside: Sequence[str], state: State) -> list[Unit]:
    """What a full vessel goes by: its mixture, or the first things in it that are more than oil, water and spices."""
    mixed = [name for name in inside if state[name].mixture]
    if mixed:
        return units(mixed[:1], state)
    food = [name for name in inside if name not in FAT and name not in WATERS and state[name].form is not Form.SPREAD]
    solid = [name for name in food if FOODS[name].kind not in UNCOUNTED]
    return units((solid or food)[:MAIN], state) if food else []


def clause(act: Act, state: State, before: Act | None) -> str:
    """The act in words; `before` is the act that the sentence has just told."""
    here = contents(state, act.place)
    again = before is not None and before.place is act.place
    if again and act.action in STIRRING:
        return act.action
    full = main_content([name for name in here if name not in act.items], state)
    told = () if before is None else (before.items, before.base)
    if act.items in told:
        subject = _pronoun(units(act.items, state))
    elif act.mixture and act.action in NAMES_RESULT:
        subject = f"the {act.mixture}"
    else:
        subject = named(act.items, state)
    base = named(act.base, state) if act.base else ""
    if act.base and again and act.base in told:
        base = _pronoun(units(act.base, state))
    return _template(act, full=bool(full), again=again).format(
        x=subject,
        v="it" if again else f"{'the' if here else 'a'} {act.place}",
        c=_pronoun(full) if again else phrase(full) if full else "the top",
        b=base,
        m=act.mixture,
    )


def _template(act: Act, *, full: bool, again: bool) -> str:
    """What fits the place: `full` with something in it, `again` if the sentence is there already."""
    match act.action:
        case "pour" if act.place is Place.GLASS:
            return "pour {x} into a glass"
        case "heat" if act.items[0] in WATERS:
            return "bring {x} to a boil"
        case "season" | "sprinkle" if act.place is Place.PLATE:
            return "garnish {c} with {x}"
        case "simmer" if again:
            return "simmer with the lid on"
    return ONTO[act.action] if act.action in ONTO and (full or act.action not in ALONE) else ALONE[act.action]


def _pronoun(found: Sequence[Unit]) -> str:
    """ "it" or "them"."""
    return "them" if len(found) > 1 or (found and found[0].name in FOODS and FOODS[found[0].name].plural) else "it"


def plain_sentence(acts: Sequence[Act], before: State) -> str:
    """One sentence for the acts of a step, done one after the other; `before` is the state when the step begins."""
    parts: list[str] = []
    last: Act | None = None
    state = before
    for act in acts:
        parts.append(clause(act, state, last))
        state, last = perform(state, act), act
    return " and ".join(parts)
