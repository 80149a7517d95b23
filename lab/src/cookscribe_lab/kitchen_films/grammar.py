"""Sentences for acts, in the register of cooking annotations: lower case, imperative, no punctuation."""

from collections.abc import Sequence

import numpy as np

from cookscribe_lab.kitchen_films.food_table import FATS, FOODS, WATERS, Kind
from cookscribe_lab.kitchen_films.states import Act, Cut, Form, Heat, Place, State
from cookscribe_lab.kitchen_films.world import contents

# {x} what is acted on, {v} the vessel, {p} in or on it, {c} what is there already, {b} the base, {m} what comes out.
TEMPLATES: dict[str, tuple[str, ...]] = {
    "peel": ("peel {x}",),
    "slice": ("slice {x}", "cut {x} into slices", "thinly slice {x}"),
    "chop": ("chop {x}", "finely chop {x}", "cut {x} into small pieces", "dice {x}"),
    "grate": ("grate {x}", "shred {x} with a grater"),
    "crack": ("crack {x} into {v}", "break {x} into {v}"),
    "add": ("add {x} to {v}", "put {x} {p} {v}", "place {x} {p} {v}"),
    "pour": ("pour {x} into {v}", "add {x} to {v}", "pour {x} {p} {v}"),
    "season": ("season {c} with {x}", "add {x} to {v}", "sprinkle {x} on {c}"),
    "sprinkle": ("sprinkle {x} over {c}", "sprinkle {x} on top", "top {c} with {x}"),
    "squeeze": ("squeeze {x} over {c}", "squeeze {x} into {v}"),
    "whisk": ("whisk {x}", "whisk {x} together in {v}", "beat {x}"),
    "mix": ("mix {x} together", "mix {x} in {v}", "combine {x} in {v}"),
    "toss": ("toss {x} together", "toss {x} in {v}"),
    "stir": ("stir {x}", "stir {x} in {v}", "mix {x} in {v}"),
    "mash": ("mash {x}", "mash {x} in {v}", "mash {x} with a masher"),
    "blend": ("blend {x}", "blend {x} until smooth", "blend {x} in {v}"),
    "knead": ("knead {m}", "knead {m} on a floured surface", "knead {m} with your hands"),
    "roll": ("roll out {x}", "roll out {x} with a rolling pin", "roll {x} flat"),
    "shape": ("shape {x} into {m}", "form {m} from {x}", "make {m} from {x}"),
    "coat": ("coat {x} with {b}", "dip {x} in {b}", "cover {x} with {b}"),
    "heat": ("heat {x} in {v}", "heat {x}"),
    "melt": ("melt {x} in {v}", "melt {x}"),
    "fry": ("fry {x} in {v}", "fry {x}", "saute {x} in {v}", "cook {x} in {v}"),
    "sear": ("fry {x} in {v}", "cook {x} on one side", "place {x} in {v} and cook"),
    "flip": ("flip {x}", "flip {x} over", "turn {x} over and cook the other side"),
    "boil": ("boil {x}", "boil {x} in {v}", "cook {x} in the boiling water"),
    "simmer": ("cover {v} and let {x} simmer", "cover {v} and cook {x}", "simmer {x} with the lid on"),
    "drain": ("drain {x}", "drain the water from {x}"),
    "bake": ("bake {x} in the oven", "put {x} in the oven", "bake {x}"),
    "toast": ("toast {x}", "toast {x} in the toaster"),
    "spread": ("spread {x} on {b}", "spread {x} over {b}"),
    "layer": ("place {x} on {b}", "put {x} on {b}", "lay {x} on top of {b}"),
    "close": ("cover {c} with the other half of {x}", "put the other half of {x} on top", "close {x}"),
    "wrap": ("roll up {x}", "wrap {x} around the filling", "fold {x}"),
    "divide": ("cut {x} into pieces", "cut {x} in pieces with a knife"),
    "remove": ("remove {x} from {v}", "take {x} out of {v}", "remove {x} and set aside"),
    "serve": ("serve {x} on a plate", "put {x} on a plate", "transfer {x} to a plate"),
}

_GLASS = ("pour {x} into a glass", "serve {x} in a glass")
_OVER = ("pour {x} over {c}", "drizzle {x} over {c}")
_GARNISH = ("garnish {c} with {x}", "sprinkle {x} on top", "sprinkle {x} over {c}")
_BOIL_WATER = ("bring {x} to a boil", "boil {x} in {v}", "heat {x} in {v}")
_FLAT = frozenset({Place.PLATE, Place.TRAY, Place.BOARD, Place.SURFACE})
_NAMES_RESULT = frozenset({"divide", "serve", "bake", "sear"})
_MANY = ("the ingredients", "everything", "all the ingredients")
UNCOUNTED = frozenset({Kind.LIQUID, Kind.POWDER, Kind.HERB, Kind.SAUCE})
ADJECTIVES: dict[Cut | Heat, str] = {
    Cut.SLICED: "sliced",
    Cut.CHOPPED: "chopped",
    Cut.GRATED: "grated",
    Cut.BEATEN: "beaten",
    Cut.MASHED: "mashed",
    Heat.FRIED: "fried",
    Heat.BOILED: "boiled",
    Heat.MELTED: "melted",
    Heat.BAKED: "baked",
}


def listing(names: Sequence[str]) -> str:
    """ "a", "a and b", "a b and c"."""
    return names[0] if len(names) == 1 else " ".join(names[:-1]) + " and " + names[-1]


def _described(name: str, state: State, rng: np.random.Generator) -> str:
    """The name, now and then with the state one can see."""
    item = state[name]
    marks: list[Cut | Heat] = [mark for mark in (item.cut, item.heat) if mark in ADJECTIVES]
    if marks and rng.random() < 0.3:
        return f"{ADJECTIVES[marks[0]]} {name}"
    return name


def _units(names: Sequence[str], state: State, rng: np.random.Generator) -> list[str]:
    """What one would name: mixtures once, single ingredients by their names, fat that did its work not at all."""
    spent = (Heat.HOT, Heat.MELTED, Heat.FRIED, Heat.BOILED)
    seen = [name for name in names if not (name in FATS - {"bacon"} and state[name].heat in spent)] or names
    units = [state[name].mixture or _described(name, state, rng) for name in seen]
    return list(dict.fromkeys(units))


def noun(names: Sequence[str], state: State, rng: np.random.Generator, *, new: bool = False) -> str:
    """A noun phrase for these ingredients: a mixture by its name, a few by theirs, many as "the ingredients".

    Args:
        new: they come into the dish now, so that "some oil" is as good as "the oil".
    """
    units = names if new else _units(names, state, rng)
    if len(units) > 3:
        return str(_MANY[rng.integers(len(_MANY))])
    words = listing(units)
    if new and all(FOODS[name].kind in UNCOUNTED for name in names):
        return str(("some ", "the ", "")[rng.integers(3)]) + words
    return f"the {words}"


def _pattern(act: Act, state: State, rng: np.random.Generator) -> str:
    """A template that fits place and ingredients."""
    options = TEMPLATES[act.action]
    here = all(state[name].place is act.place for name in act.items)
    match act.action:
        case "pour" if act.place is Place.GLASS:
            options = _GLASS
        case "pour" if act.place in (Place.PLATE, Place.TRAY) and contents(state, act.place):
            options = _OVER
        case "sprinkle" | "season" if act.place is Place.PLATE:
            options = _GARNISH
        case "heat" if act.items[0] in WATERS:
            options = _BOIL_WATER
        case "whisk" if act.items != ("eggs",):
            options = options[:2]
        case "sear" if here:
            options = options[:2]
        case "squeeze" if act.place is Place.PLATE:
            options = options[:1]
        case "chop" if FOODS[act.items[0]].kind is Kind.HERB:
            options = options[:2]
    return str(options[rng.integers(len(options))])


def clause(act: Act, state: State, rng: np.random.Generator, pronoun: str = "") -> str:
    """The act in words; `pronoun` replaces what is acted on when the sentence has just named it."""
    before = contents(state, act.place)
    inside = [name for name in before if name not in act.items]
    article = "the" if before or rng.random() < 0.3 else "a"
    fresh = all(state[name].place is Place.COUNTER for name in act.items)
    subject = pronoun or noun(act.items, state, rng, new=fresh)
    if act.mixture and act.action in _NAMES_RESULT and not pronoun:
        subject = f"the {act.mixture}"
    return _pattern(act, state, rng).format(
        x=subject,
        v=f"{article} {act.place}",
        p="on" if act.place in _FLAT else "in",
        c=_content(inside, state, rng),
        b=noun(act.base, state, rng) if act.base else "",
        m=f"the {act.mixture}" if act.action == "knead" else act.mixture,
    )


def _content(inside: Sequence[str], state: State, rng: np.random.Generator) -> str:
    """What something is put over: the main thing there rather than a list."""
    mixed = [name for name in inside if state[name].mixture]
    if mixed:
        return f"the {state[mixed[0]].mixture}"
    solid = [name for name in inside if FOODS[name].kind not in UNCOUNTED and state[name].form is not Form.SPREAD]
    solid = [name for name in solid if name not in FATS - {"bacon"}] or solid
    return noun(solid[:2] or inside[:1], state, rng) if inside else "the top"


def sentence(acts: Sequence[Act], states: Sequence[State], rng: np.random.Generator) -> str:
    """One sentence for the acts of a step, done one after the other; `states` are those before each act."""
    parts: list[str] = []
    named: tuple[str, ...] = ()
    for act, state in zip(acts, states, strict=True):
        pronoun = ""
        if act.items == named:
            several = len(named) > 1 or FOODS[named[0]].plural
            pronoun = "them" if several and not state[named[0]].mixture else "it"
        parts.append(clause(act, state, rng, pronoun))
        named = act.items
    return " and ".join(parts)
