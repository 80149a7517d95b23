"""Short sentences from what is seen, where no language model is installed. Little seen, little said."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

# What is less likely is not said. On held-out training stills, what is said at these is right in about seven of ten:
# their sentences name it.
SAID = {"action": 0.6, "food": 0.5, "tool": 0.5}
KIN_SAID = 0.5
LISTED_SAID = 0.25  # of a food that is on the list: steps compete for it, so none may be likely
MOST_FOODS = 2
# Pictures tell a cut from a stir, but hardly a chop from a slice. Where no word of a kin is likely enough, but one of
# them is, the kin's name is said: that one of them is named is taken as likely as if they were independent.
KIN: Mapping[str, Mapping[str, str]] = {
    "action": {
        "cut": "cut, chop, dice, slice, mince, shred, peel, grate",
        "mix": "mix, stir, whisk, beat, combine, blend, scramble, mash, fold, toss",
        "cook": "cook, fry, deep-fry, heat, boil, bake, grill, toast, melt, preheat, flip",
        "add": "add, put, place, pour, top, sprinkle, spread, drizzle, season, garnish, transfer, squeeze, serve",
    },
    "food": {
        "meat": "meat, beef, pork, lamb, chicken, chicken breast, bacon, rib, patty, sausage, wings",
        "vegetables": "vegetable, onion, green onion, shallot, garlic, ginger, carrot, cabbage, celery, cucumber, "
        "lettuce, mushroom, potato, tomato, pepper, bell pepper, red pepper, chives, pea, bean, bean sprout",
        "dough": "dough, flour, yeast, bread, roll, pizza, bun, batter",
        "noodles": "noodle, pasta, spaghetti, macaroni",
    },
    "tool": {"pan": "pan, frying pan, skillet, wok, pot"},
}
# Of tools: what one does things on rather than in, and what is hot.
_ON = frozenset({"plate", "grill", "board", "sheet", "tray", "rack", "stove"})
_HOT = frozenset({"pan", "frying pan", "skillet", "wok", "pot", "grill", "oven", "stove"})
_BARE = "go on as shown"
# What is said of verbs that say nothing without what they are done to.
_WITHOUT_FOOD = {"add": "add the next ingredient", "serve": "serve the dish"}


def plain_sentence(seen: Sequence[tuple[str, float, str]], *, listed: bool = False) -> tuple[str, float]:
    """A sentence, and how likely all of it is right, were its words independent.

    Args:
        seen: words, how likely each is, and kinds (food, action, tool).
        listed: the foods are those of a list.
    """
    actions = _said(seen, "action", 1, SAID["action"])
    foods = _said(seen, "food", MOST_FOODS, LISTED_SAID if listed else SAID["food"])
    tools = _said(seen, "tool", 1, SAID["tool"])
    if actions and actions[0][0] in KIN["action"]["cut"].split(", "):
        tools = []  # nobody cuts in a pan
    if not (actions or foods or tools):
        return _BARE, 0.0
    sure = math.prod(one for _, one in (*actions, *foods, *tools))
    if not (foods or tools):
        # A picture that shows nothing else clearly shows an action hardly more clearly.
        return f"{_BARE}, perhaps {_WITHOUT_FOOD.get(actions[0][0], f'{actions[0][0]} it')}", sure
    if not (actions or foods or tools[0][0] in _HOT):
        return f"{_BARE} with the {tools[0][0]}", sure
    verb = actions[0][0] if actions else ("prepare" if foods else "cook")
    things = " and ".join(f"the {name}" for name, _ in foods if name != verb) or "it"
    place = ""
    if tools:
        name = tools[0][0]
        place = f" {'to' if verb == 'add' else 'on' if name in _ON else 'in'} the {name}"
    said = f"{verb} {things}" if foods else _WITHOUT_FOOD.get(verb, f"{verb} it")
    return f"{said}{place}", sure


def _said(seen: Sequence[tuple[str, float, str]], kind: str, most: int, least: float) -> list[tuple[str, float]]:
    """The likeliest words of a kind that may be said, or else the likeliest name of a kin."""
    sure = {word: one for word, one, other in seen if other == kind}
    words = sorted((one for one in sure.items() if one[1] >= least), key=lambda one: -one[1])
    if words:
        return words[:most]
    kin = {
        name: 1 - math.prod(1 - sure.get(word, 0.0) for word in members.split(", "))
        for name, members in KIN.get(kind, {}).items()
    }
    return sorted((one for one in kin.items() if one[1] >= KIN_SAID), key=lambda one: -one[1])[:1]
