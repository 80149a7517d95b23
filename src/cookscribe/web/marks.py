"""What a person did to a recipe: edits as pure functions on the document and on the marks of its steps.

A `Mark` goes with each step of a document: an id that stays the step's through all edits, who wrote the step, and
whether a person found it right. What a person wrote or found right, no model changes any more.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from cookscribe.recipe import MOST_STEPS, Names, Recipe, Seconds, Span, Step, StepEvidence, Text
from cookscribe.text.actions import ActionMatcher, packaged_verbs
from cookscribe.text.ingredients import IngredientMatcher
from cookscribe.web.ingredients import read_lines, shown_lines
from cookscribe.web.places import ID, new_id

SAME = 0.0005  # seconds: below this a time is the same


class Mark(BaseModel):
    """Of one step: its id, who wrote it, and whether a person found it right."""

    model_config = ConfigDict(frozen=True)

    id: str = Field(default_factory=new_id, pattern=ID)
    by: Literal["model", "person"] = "model"
    right: bool = False

    @property
    def kept(self) -> bool:
        """Whether the step belongs to a person: no model may change it."""
        return self.right or self.by == "person"


MARKS = TypeAdapter(tuple[Mark, ...])


@dataclass(frozen=True)
class Marked:
    """A recipe with a mark for each of its steps."""

    recipe: Recipe
    marks: tuple[Mark, ...]

    @classmethod
    def fresh(cls, recipe: Recipe) -> Self:
        """A recipe as the model wrote it."""
        return cls(recipe, tuple(Mark() for _ in recipe.steps))

    @property
    def checked(self) -> bool:
        """Whether a person has seen to every step."""
        return bool(self.marks) and all(mark.kept for mark in self.marks)


class StepEdit(BaseModel):
    """A step as a person leaves it. With an id that is not there, or without one, it is new."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    id: str | None = Field(default=None, pattern=f"^{ID}$")
    start: Seconds
    end: Seconds
    sentence: Text
    right: bool = False


class RecipeEdit(BaseModel):
    """A recipe as a person leaves it. `revision` is the one it was made from."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    revision: int = Field(ge=1, le=2**31)
    title: Text
    ingredients: Names = Field(description='Lines, with amounts where there are any: "2 tbsp butter".')
    steps: list[StepEdit] = Field(max_length=MOST_STEPS)


def edited(before: Marked, edit: RecipeEdit) -> Marked:
    """The recipe after an edit; steps that were not touched keep all that is known of them."""
    known = {mark.id: (step, mark) for step, mark in zip(before.recipe.steps, before.marks, strict=True)}
    ingredients, amounts = read_lines(edit.ingredients, before.recipe.amounts)
    matcher = None if ingredients == before.recipe.ingredients else IngredientMatcher(ingredients)
    steps: list[Step] = []
    marks: list[Mark] = []
    used = set(known)
    for wanted in sorted(edit.steps, key=lambda step: (step.start, step.end)):
        step, mark = known.pop(wanted.id, (None, None)) if wanted.id else (None, None)
        if step is None or mark is None:
            fresh = wanted.id if wanted.id and wanted.id not in used else new_id()
            step, mark = _written(wanted, ingredients), Mark(id=fresh, by="person", right=wanted.right)
        elif step.sentence != wanted.sentence:
            step = _written(wanted, ingredients, step)
            mark = Mark(id=mark.id, by="person", right=wanted.right)
        else:
            moved = abs(step.span.start - wanted.start) > SAME or abs(step.span.end - wanted.end) > SAME
            if moved:
                step = _moved(step, Span(start=wanted.start, end=wanted.end))
            if matcher is not None:
                named = tuple(ingredients[n] for n in sorted(matcher.named(step.sentence)))
                step = step.model_copy(update={"ingredients": named})
            mark = Mark(id=mark.id, by="person" if moved else mark.by, right=wanted.right)
        steps.append(step)
        marks.append(mark)
        used.add(mark.id)
    changes: dict[str, object] = {"title": edit.title, "ingredients": ingredients, "amounts": amounts}
    return rebuilt(before.recipe, changes, steps, marks, {mark.id: n for n, mark in enumerate(before.marks)})


def rebuilt(
    recipe: Recipe,
    changes: Mapping[str, object],
    steps: Sequence[Step],
    marks: Sequence[Mark],
    places: Mapping[str, int],
) -> Marked:
    """The document with other steps; the evidence of steps that are still there goes with them.

    Args:
        places: which step of `recipe` a mark's id belonged to.
    """
    order = sorted(range(len(steps)), key=lambda n: (steps[n].span.start, steps[n].span.end))
    steps, marks = [steps[n] for n in order], [marks[n] for n in order]
    evidence = recipe.evidence
    if evidence is not None:
        now = {places[mark.id]: number for number, mark in enumerate(marks) if mark.id in places}
        reasons = evidence.steps and tuple(
            evidence.steps[places[mark.id]] if mark.id in places else StepEvidence() for mark in marks
        )
        candidates = tuple(
            candidate.model_copy(update={"step": now.get(candidate.step) if candidate.step is not None else None})
            for candidate in evidence.candidates
        )
        evidence = evidence.model_copy(update={"candidates": candidates, "steps": reasons})
    fields = {name: getattr(recipe, name) for name in Recipe.model_fields}
    # Built anew, so that the whole document is checked again.
    return Marked(Recipe(**fields | {"steps": tuple(steps), "evidence": evidence, **changes}), tuple(marks))


def _written(wanted: StepEdit, ingredients: tuple[str, ...], before: Step | None = None) -> Step:
    """A step in a person's words: how sure the model was no longer counts."""
    verbs, matcher = _verbs()
    span = Span(start=wanted.start, end=wanted.end)
    step = _moved(before, span) if before is not None else Step(span=span, sentence=wanted.sentence)
    return step.model_copy(
        update={
            "sentence": wanted.sentence,
            "confidence": None,
            "ingredients": tuple(ingredients[n] for n in sorted(IngredientMatcher(ingredients).named(wanted.sentence))),
            "actions": tuple(verbs[n] for n in sorted(matcher.named(wanted.sentence))),
        }
    )


def _moved(step: Step, span: Span) -> Step:
    picture = step.picture if step.picture is not None and span.start <= step.picture <= span.end else None
    return step.model_copy(update={"span": span, "confidence": None, "picture": picture})


@cache
def _verbs() -> tuple[tuple[str, ...], ActionMatcher]:
    verbs = packaged_verbs()
    return verbs, ActionMatcher(verbs)


def _list(recipe: Recipe) -> list[str]:
    return [line.line for line in shown_lines(recipe)]


def described(before: Marked, after: Marked) -> str:
    """What changed, in a few words for the list of revisions; empty if nothing did."""
    old = {mark.id: (step, mark) for step, mark in zip(before.recipe.steps, before.marks, strict=True)}
    new = {mark.id: (step, mark) for step, mark in zip(after.recipe.steps, after.marks, strict=True)}
    numbers = {mark.id: number for number, mark in enumerate(after.marks, 1)}
    both = [key for key in new if key in old]
    counted = {
        "words of": [key for key in both if old[key][0].sentence != new[key][0].sentence],
        "times of": [key for key in both if old[key][0].span != new[key][0].span],
        "added": [key for key in new if key not in old],
        "found right:": [key for key in both if new[key][1].right and not old[key][1].right],
        "no longer right:": [key for key in both if old[key][1].right and not new[key][1].right],
    }
    parts = ["title"] if before.recipe.title != after.recipe.title else []
    if _list(before.recipe) != _list(after.recipe):
        parts.append("ingredients")
    for words, keys in counted.items():
        if keys:
            shown = ", ".join(str(numbers[key]) for key in keys[:6]) + (", …" if len(keys) > 6 else "")
            parts.append(f"{words} step{'s' if len(keys) > 1 else ''} {shown}")
    if removed := len(old.keys() - new.keys()):
        parts.append(f"{removed} step{'s' if removed > 1 else ''} removed")
    return "; ".join(parts)
