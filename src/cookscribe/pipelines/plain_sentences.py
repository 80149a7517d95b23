"""Short sentences from what is seen, where no language model is installed. Little seen, little said."""

from __future__ import annotations

from collections.abc import Sequence

# A word that is less likely than this is not said.
SAID = {"action": 0.2, "food": 0.25, "tool": 0.25}
MOST_FOODS = 2
# Of tools: what one does things on rather than in.
_ON = frozenset({"plate", "grill", "board", "sheet", "tray", "rack", "stove"})
_BARE = "go on as shown"
# What is said of verbs that say nothing without what they are done to.
_WITHOUT_FOOD = {"add": "add the next ingredient", "serve": "serve the dish"}


def plain_sentence(seen: Sequence[tuple[str, float, str]]) -> tuple[str, float]:
    """A sentence, and how likely all of it is right, were its words independent.

    Args:
        seen: words, how likely each is, and kinds (food, action, tool).
    """
    chosen: dict[str, list[tuple[str, float]]] = {"action": [], "food": [], "tool": []}
    for word, sure, kind in sorted(seen, key=lambda one: -one[1]):
        most = MOST_FOODS if kind == "food" else 1
        if sure >= SAID[kind] and len(chosen[kind]) < most:
            chosen[kind].append((word, sure))
    actions, foods, tools = chosen["action"], chosen["food"], chosen["tool"]
    sure = 1.0
    for _, one in (*actions, *foods, *tools):
        sure *= one
    if not (actions or foods or tools):
        return _BARE, 0.0
    verb = actions[0][0] if actions else ("prepare" if foods else "cook")
    things = " and ".join(f"the {name}" for name, _ in foods if name != verb) or "it"
    place = ""
    if tools:
        name = tools[0][0]
        place = f" {'on' if name in _ON else 'in'} the {name}"
    said = f"{verb} {things}" if foods else _WITHOUT_FOOD.get(verb, f"{verb} it")
    return f"{said}{place}", sure
