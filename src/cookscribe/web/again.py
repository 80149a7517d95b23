"""Writing again: a model's new recipe laid over what a person has corrected, and what that would change.

What a person wrote or found right stays, and a new step that tells the same again is left out. The rest of the old
steps make way for the new ones.
"""

from typing import Literal

from pydantic import BaseModel

from cookscribe.recipe import Recipe, Span
from cookscribe.web.marks import Marked, rebuilt

COVERED = 0.5  # share of a new step; where more of it lies under one that stays, it is the same step told again
ALIKE = 0.3  # tIoU from which a new step stands in the place of an old one


class Change(BaseModel):
    """One line of what would change, in order of time."""

    what: Literal["kept", "same", "changed", "added", "removed"]
    start: float
    end: float
    before: str = ""
    after: str = ""


def _lies_under(new: Span, stays: Span) -> bool:
    shared = min(new.end, stays.end) - max(new.start, stays.start)
    return shared > COVERED * max(0.001, new.length)


def laid_over(now: Marked, new: Recipe, *, title: str = "") -> Marked:
    """The recipe as it is now, with the model's new steps where no person has been.

    Args:
        title: what the recipe shall be called, if that was asked for.
    """
    fresh = Marked.fresh(new)
    old = list(zip(now.recipe.steps, now.marks, strict=True))
    kept = [(step, mark) for step, mark in old if mark.kept]

    def told_again(span: Span) -> bool:
        # Where a small step lies over the end of a large one, the small one is meant.
        step, mark = max(old, key=lambda pair: pair[0].span.tiou(span), default=(None, None))
        return step is not None and mark is not None and mark.kept and _lies_under(span, step.span)

    taken = [(step, mark) for step, mark in zip(new.steps, fresh.marks, strict=True) if not told_again(step.span)]
    both = [*kept, *taken]
    ingredients = tuple(dict.fromkeys((*new.ingredients, *(name for step, _ in kept for name in step.ingredients))))
    changes: dict[str, object] = {
        "title": title or now.recipe.title,
        "ingredients": ingredients[: len(new.ingredients) + 20],
        "video": now.recipe.video,
    }
    places = {mark.id: n for n, mark in enumerate(fresh.marks)}
    return rebuilt(new, changes, [step for step, _ in both], [mark for _, mark in both], places)


def changes(now: Marked, after: Marked) -> list[Change]:
    """What becomes of every step when `after` takes the place of `now`."""
    old = {mark.id: step for step, mark in zip(now.recipe.steps, now.marks, strict=True)}
    found: list[Change] = []
    stays = {mark.id for mark in after.marks} & old.keys()
    left = {key: step for key, step in old.items() if key not in stays}

    def line(what: Literal["kept", "same", "changed", "added", "removed"], span: Span, before: str, new: str) -> None:
        found.append(Change(what=what, start=span.start, end=span.end, before=before, after=new))

    for step, mark in zip(after.recipe.steps, after.marks, strict=True):
        if mark.id in stays:
            line("kept", step.span, step.sentence, step.sentence)
            continue
        place = max(left, key=lambda key: left[key].span.tiou(step.span), default=None)
        if place is None or left[place].span.tiou(step.span) < ALIKE:
            line("added", step.span, "", step.sentence)
            continue
        before = left.pop(place)
        same = before.sentence == step.sentence and before.span == step.span
        line("same" if same else "changed", step.span, before.sentence, step.sentence)
    for before in left.values():
        line("removed", before.span, before.sentence, "")
    return sorted(found, key=lambda change: (change.start, change.end))
