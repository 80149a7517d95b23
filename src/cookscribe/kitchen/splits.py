"""Splits that hold out combinations: some (action, ingredient) pairs never occur in training.

Every ingredient and every action does occur in training, with other partners; only the pairing is new, as a cook who
has grated cheese and sliced carrots may be asked for grated carrots. The pairs belong to the world and do not depend
on a seed, so that recipes of two seeds never leak into each other.
"""

from __future__ import annotations

from cookscribe.kitchen.larder import LARDER
from cookscribe.seeds import generator

TRAINING, VALIDATION, TESTING = "training", "validation", "testing"
SPLITS = (TRAINING, VALIDATION, TESTING)

# Actions with which dishes have a choice; a pair without an alternative cannot be held out.
CHOICES = ("slice", "chop", "grate", "fry", "boil", "bake", "layer")
HELD_OUT_SHARE = 0.1

Pair = tuple[str, str]


def _hold_out() -> dict[str, frozenset[Pair]]:
    pairs = [(action, name) for name, item in LARDER.items() for action in CHOICES if action in item.abilities]
    rng = generator("held-out pairs", 2)
    order = [pairs[index] for index in rng.permutation(len(pairs))]
    kept = {action: sum(pair[0] == action for pair in pairs) for action in CHOICES}
    left = {name: sum(pair[1] == name for pair in pairs) for name in LARDER}
    whole = dict(left)
    held: dict[str, list[Pair]] = {VALIDATION: [], TESTING: []}
    wanted = round(HELD_OUT_SHARE * len(pairs))
    for split, chosen in held.items():
        for pair in order:
            action, name = pair
            taken = pair in held[VALIDATION] or pair in held[TESTING]
            # An ingredient keeps more than half of its ways, an action at least four ingredients.
            if taken or len(chosen) >= wanted or 2 * (left[name] - 1) <= whole[name] or kept[action] <= 4:
                continue
            left[name] -= 1
            kept[action] -= 1
            chosen.append(pair)
        held[split] = sorted(chosen)
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
