"""Splits that hold out combinations: some (action, ingredient) pairs never occur in training.

Every ingredient and every action does occur in training, with other partners; only the pairing is new, as a cook who
has grated cheese and sliced carrots may be asked for grated carrots. The pairs belong to the world and do not depend
on a seed, so that recipes of two seeds never leak into each other.
"""

from cookscribe.seeds import generator
from cookscribe_lab.kitchen_films.food_table import FOODS

TRAINING, VALIDATION, TESTING = "training", "validation", "testing"
SPLITS = (TRAINING, VALIDATION, TESTING)

# Kinds of choices that dishes leave open: how to cut, how to cook, what to put on bread. Only these can be held out.
CHOICES: dict[str, tuple[str, ...]] = {
    "cut": ("slice", "chop", "grate"),
    "cook": ("fry", "boil", "bake"),
    "place": ("layer",),
}
HELD_OUT_PAIRS = 11  # in each of the two splits

Pair = tuple[str, str]


def _hold_out() -> dict[str, frozenset[Pair]]:
    """Draw pairs such that an ingredient keeps at least two of three ways of each kind, an action most ingredients."""
    ways = {
        (name, kind): [action for action in actions if action in item.abilities]
        for name, item in FOODS.items()
        for kind, actions in CHOICES.items()
    }
    pairs = [
        (action, name, kind)
        for (name, kind), actions in ways.items()
        for action in actions
        if len(actions) >= 3 or kind == "place"
    ]
    rng = generator("held-out pairs")
    kept = {
        action: sum(action in actions for actions in ways.values()) for kinds in CHOICES.values() for action in kinds
    }
    whole = dict(kept)
    held: dict[str, list[Pair]] = {VALIDATION: [], TESTING: []}
    used: set[tuple[str, str]] = set()
    order = [pairs[index] for index in rng.permutation(len(pairs))]
    for action, name, kind in order:
        split = min(held, key=lambda owner: len(held[owner]))
        if (name, kind) in used or len(held[split]) >= HELD_OUT_PAIRS or 3 * (kept[action] - 1) < 2 * whole[action]:
            continue
        used.add((name, kind))
        kept[action] -= 1
        held[split].append((action, name))
    return {split: frozenset(chosen) for split, chosen in held.items()}


HELD_OUT: dict[str, frozenset[Pair]] = _hold_out()


def permitted(split: str, pair: Pair) -> bool:
    """Whether a recipe of this split may contain the pair."""
    return all(pair not in held for owner, held in HELD_OUT.items() if owner != split)


def belongs(split: str, pairs: frozenset[Pair]) -> bool:
    """Whether a recipe with these pairs is one of this split: training has none that are held out, others have some."""
    if not all(permitted(split, pair) for pair in pairs):
        return False
    return split == TRAINING or bool(pairs & HELD_OUT[split])
