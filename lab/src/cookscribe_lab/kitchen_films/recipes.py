"""Made-up recipes with full truth: steps on a time line, their sentences, and every ingredient's state after each step.

`make_recipes(seed, count)` is deterministic: the same seed gives the same recipes, and the first ten of a hundred are
the ten of ten. Everything written to disk says that it is simulated.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from cookscribe.errors import BadFileError, BadValueError
from cookscribe.files import read_json
from cookscribe.learning.datasets.records import AnnotatedVideo
from cookscribe.learning.datasets.youcook2 import read_truth
from cookscribe.recipe import Span
from cookscribe.seeds import generator
from cookscribe_lab.kitchen_films.cook import Cook, DeadEndError
from cookscribe_lab.kitchen_films.dishes import DISHES
from cookscribe_lab.kitchen_films.food_table import FOODS
from cookscribe_lab.kitchen_films.names import Naming, call
from cookscribe_lab.kitchen_films.plain import plain_sentence
from cookscribe_lab.kitchen_films.splits import SPLITS, TESTING, TRAINING, VALIDATION, Pair, belongs
from cookscribe_lab.kitchen_films.states import Act, ItemState
from cookscribe_lab.kitchen_films.timeline import Interlude, lay_out
from cookscribe_lab.kitchen_films.world import fresh, perform

MOST_STEPS = 12
# How the steps are put into words: by chance (`grammar`), or as `plain` always does.
VARIED, PLAIN = "varied", "plain"
WORDINGS = (VARIED, PLAIN)


@dataclass(frozen=True)
class MadeUpStep:
    """One step.

    Attributes:
        span: when it is shown.
        sentence: what an annotator would write.
        acts: what is done, in order.
        after: the state of every ingredient when the step is over.
    """

    span: Span
    sentence: str
    acts: tuple[Act, ...]
    after: dict[str, ItemState]

    @property
    def ingredients(self) -> tuple[str, ...]:
        """Everything the acts touch, in order."""
        return tuple(dict.fromkeys(name for act in self.acts for name in (*act.items, *act.base)))


@dataclass(frozen=True)
class MadeUpRecipe:
    """A recipe nobody ever cooked.

    Attributes:
        id: unique for seed and number.
        title: e.g. "tomato soup".
        dish: the program that made it, a key of `dishes.DISHES`.
        ingredients: kinds in order of first use.
        steps: in order; they do not overlap.
        interludes: everything between the steps.
        duration: seconds.
        bystanders: ingredients that stand around in pictures but belong to no step.
        wording: of the sentences, one of `WORDINGS`.
        called: what sentences and lists call each ingredient; the other fields name its kind (see `varieties`).
    """

    id: str
    seed: int
    number: int
    split: str
    title: str
    dish: str
    ingredients: tuple[str, ...]
    steps: tuple[MadeUpStep, ...]
    interludes: tuple[Interlude, ...]
    duration: float
    bystanders: tuple[str, ...]
    wording: str = VARIED
    called: Mapping[str, str] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """The ingredient list: what the ingredients are called."""
        return tuple(self.called[kind] for kind in self.ingredients)

    @property
    def naming(self) -> Naming:
        """Puts these names into words that were written with the kinds."""
        return Naming(dict(zip(self.ingredients, self.names, strict=True)))

    @property
    def pairs(self) -> frozenset[Pair]:
        """Every (action, ingredient) pair of the recipe."""
        return frozenset((act.action, name) for step in self.steps for act in step.acts for name in act.items)

    @property
    def signature(self) -> tuple[tuple[Act, ...], ...]:
        """What makes two recipes the same: the same acts in the same order."""
        return tuple(step.acts for step in self.steps)

    def before(self, number: int) -> dict[str, ItemState]:
        """The state when step `number` (from 0) begins."""
        return self.steps[number - 1].after if number else fresh(self.ingredients)

    def annotated(self) -> AnnotatedVideo:
        """As a dataset's record."""
        return AnnotatedVideo(
            id=self.id,
            duration=self.duration,
            spans=np.array([[step.span.start, step.span.end] for step in self.steps]),
            sentences=tuple(step.sentence for step in self.steps),
            ingredients=self.names,
            split=self.split,
            recipe_type=self.dish,
            simulated=True,
        )

    def as_json(self) -> dict[str, Any]:
        """The truth: the fields of ActivityNet captions (`duration`, `timestamps`, `sentences`) and everything else."""
        naming = self.naming
        return {
            "simulated": True,
            "made_by": "cookscribe simulated kitchen",
            **({} if self.wording == VARIED else {"wording": self.wording}),
            "seed": self.seed,
            "number": self.number,
            "split": self.split,
            "title": self.title,
            "dish": self.dish,
            "duration": self.duration,
            "timestamps": [[step.span.start, step.span.end] for step in self.steps],
            "sentences": [step.sentence for step in self.steps],
            "ingredients": list(self.names),
            "bystanders": [self.called[kind] for kind in self.bystanders],
            "looks_like": {self.called[kind]: kind for kind in (*self.ingredients, *self.bystanders)},
            "steps": [
                {
                    "acts": [
                        {
                            "action": act.action,
                            "ingredients": [self.called[kind] for kind in act.items],
                            "place": act.place.value,
                            "base": [self.called[kind] for kind in act.base],
                            "mixture": naming(act.mixture),
                        }
                        for act in step.acts
                    ],
                    "states": {
                        self.called[kind]: replace(item, mixture=naming(item.mixture)).as_json()
                        for kind, item in ((kind, step.after[kind]) for kind in self.ingredients)
                    },
                }
                for step in self.steps
            ],
            "interludes": [
                {"kind": interlude.kind, "span": [interlude.span.start, interlude.span.end]}
                for interlude in self.interludes
            ],
        }


def make_recipe(
    seed: int, number: int = 0, split: str = TRAINING, *, tempo: float = 1.0, attempt: int = 0, wording: str = VARIED
) -> MadeUpRecipe:
    """One recipe.

    Args:
        seed: the seed of the collection.
        number: position in the collection.
        split: "training", "validation" or "testing"; decides which combinations may and must occur.
        tempo: 1 for durations like those of cooking videos (minutes), 3 for videos three times as brisk.
        attempt: another recipe for the same number; `make_recipes` counts up when a recipe occurred before.
        wording: "varied" (see `grammar`) or "plain" (see `plain`); the acts and their times do not depend on it.
    """
    if split not in SPLITS:
        raise BadValueError("split", f"must be one of {', '.join(SPLITS)}, got {split!r}")
    if wording not in WORDINGS:
        raise BadValueError("wording", f"must be one of {', '.join(WORDINGS)}, got {wording!r}")
    if not 0.25 <= tempo <= 10:
        raise BadValueError("tempo", f"must lie between 0.25 and 10, got {tempo}")
    rng = generator("kitchen recipe", seed, number, split, attempt)
    dish, title, cook = _draft(rng, split)
    ingredients = tuple(
        dict.fromkeys(name for step in cook.steps for act in step.acts for name in (*act.items, *act.base))
    )
    spans, interludes, duration = lay_out([step.acts for step in cook.steps], tempo, rng)
    # Draws of their own: what is cooked and drawn does not depend on what it is called.
    called = call(generator("kitchen names", seed, number, split, attempt))
    naming = Naming({kind: called[kind] for kind in ingredients})
    steps: list[MadeUpStep] = []
    state = fresh(ingredients)
    for planned, span in zip(cook.steps, spans, strict=True):
        # The varied sentence was drawn while cooking: its draws are between those that decide what is cooked.
        words = planned.sentence if wording == VARIED else plain_sentence(planned.acts, state)
        for act in planned.acts:
            state = perform(state, act)
        steps.append(MadeUpStep(span, naming(words), planned.acts, state))
    others = [name for name in FOODS if name not in ingredients]
    bystanders = tuple(others[index] for index in rng.permutation(len(others))[: rng.integers(1, 4)])
    return MadeUpRecipe(
        id=f"kitchen_{seed}_{number:05d}",
        seed=seed,
        number=number,
        split=split,
        title=naming(title),
        dish=dish,
        ingredients=ingredients,
        steps=tuple(steps),
        interludes=interludes,
        duration=duration,
        bystanders=bystanders,
        wording=wording,
        called=called,
    )


def _draft(rng: np.random.Generator, split: str) -> tuple[str, str, Cook]:
    """Draw dishes until one fits the split and is not too long."""
    names = list(DISHES)
    while True:
        dish = names[int(rng.integers(len(names)))]
        cook = Cook(rng, split)
        try:
            title = DISHES[dish](cook)
        except DeadEndError:
            continue
        if len(cook.steps) <= MOST_STEPS and belongs(split, cook.pairs()):
            return dish, title, cook


def split_of(number: int) -> str:
    """Eight of ten recipes train, one validates, one tests."""
    return {8: VALIDATION, 9: TESTING}.get(number % 10, TRAINING)


def make_recipes(
    seed: int, count: int, *, split: str = "", tempo: float = 1.0, wording: str = VARIED
) -> Iterator[MadeUpRecipe]:
    """`count` different recipes, of one split or of all three in turn."""
    seen: set[tuple[tuple[Act, ...], ...]] = set()
    for number in range(count):
        attempt = 0
        while True:
            recipe = make_recipe(seed, number, split or split_of(number), tempo=tempo, attempt=attempt, wording=wording)
            if recipe.signature not in seen:
                break
            attempt += 1
        seen.add(recipe.signature)
        yield recipe


def truth(recipes: Sequence[MadeUpRecipe]) -> dict[str, Any]:
    """The truth of a collection by id, as `cookscribe evaluate --truth` and the readers of the datasets take it."""
    return {recipe.id: recipe.as_json() for recipe in recipes}


def read_recipes(path: Path) -> dict[str, AnnotatedVideo]:
    """Read a file of made-up recipes, or the truth beside a drawn video, as dataset records with split and label.

    Raises:
        BadFileError: when the file is no truth, or does not say that it is simulated.
    """
    extras = read_json(path)
    videos = {}
    for video_id, video in read_truth(path).items():
        extra = extras[video_id]
        if extra.get("simulated") is not True:
            raise BadFileError(path, f"{video_id} is not marked as simulated", "read real annotations as a dataset")
        videos[video_id] = replace(
            video, split=str(extra.get("split", "")), recipe_type=str(extra.get("dish", "")), simulated=True
        )
    return videos
