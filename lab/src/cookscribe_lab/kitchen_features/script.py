"""From annotation to script: what the sentences say is seen, and how the food changes from step to step.

A step names actions, foods and vessels. Food keeps its state: what was chopped stays chopped, what was mixed or mashed
loses most of its own look. Food that was put together stays in view, in its vessel, in later steps that do not name it;
"the mixture" or "it" is whatever lies in the last vessel.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

import numpy as np

from cookscribe.learning.datasets.records import AnnotatedVideo
from cookscribe.text.actions import ActionMatcher, packaged_verbs
from cookscribe.text.inflection import Form, verb_forms
from cookscribe.text.ingredients import IngredientMatcher, canonical
from cookscribe.text.tokens import ptb_tokens
from cookscribe_lab.kitchen_features.looks import Vector, food_look, state_look, veiled_look
from cookscribe_lab.kitchen_features.words import (
    LONGEST_NAME,
    MIXTURE_WORDS,
    STATES,
    Food,
    action_families,
    action_family,
    effect,
    food,
    foods,
    look_up,
    vessels,
)

LEAST_KEPT = 0.12  # however often food is mixed and heated, a trace of its own look stays
AROUND = 0.45  # how much of the picture belongs to what lies in the vessel, when a step is about something else
LAID_OUT = 0.7  # how much of the picture belongs to a food that is laid out for the next step, behind a veil of 1
PUT_IN = frozenset({"add", "season", "mix", "fry", "boil", "crack", "coat"})
CHANGES_CONTENTS = frozenset({"mix", "fry", "boil", "bake", "crush", "turn", "shape"})
MOVES_CONTENTS = frozenset({"add", "serve", "remove", "bake", "coat", "shape", "fry", "boil"})
PASSING = frozenset({"board", "plate", "strainer"})  # work goes on in the vessel before these


@dataclass(frozen=True)
class Sentence:
    """What a sentence names, in order.

    Attributes:
        actions: verbs in base form.
        foods: names, each with the states its participles give it ("chopped onions").
        vessels: looks of the vessels and tools.
        made: words for what was made before ("mixture", "dough", "it").
    """

    actions: tuple[str, ...]
    foods: tuple[tuple[str, tuple[str, ...]], ...]
    vessels: tuple[str, ...]
    made: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Sight:
    """A thing in view: its look (SIZE,) before and after the step, its share of the picture, if the step names it."""

    name: str
    before: Vector
    after: Vector
    weight: float
    named: bool


@dataclass(frozen=True, eq=False)
class StepView:
    """One step as it will be seen: actions in order, things in view, the vessel."""

    actions: tuple[str, ...]
    sights: tuple[Sight, ...]
    vessel: str


def stage(video: AnnotatedVideo, veil: float = 0.0) -> list[StepView]:
    """The scenes of a video's steps, in order; with `veil`, handled foods are veiled (see `streams.render`)."""
    counter = _Counter(veil)
    reader = _Reader(video.ingredients)
    views = [counter.work(reader.read(text)) for text in video.sentences]
    # What a step will need is laid out, and seen, in the step before.
    for view, (number, laid) in zip(views, enumerate(counter.laid_out[1:]), strict=False):
        views[number] = replace(view, sights=view.sights + laid)
    return views


@dataclass
class _Thing:
    food: Food
    kept: float = 1.0
    states: dict[str, float] = field(default_factory=dict)
    veiled: float = 0.0

    def change(self, state: str) -> None:
        if not state or state in self.states:  # chopping what is chopped changes little
            return
        kept, strength = STATES[state]
        self.kept = max(LEAST_KEPT, self.kept * kept)
        self.states[state] = strength

    def look(self) -> Vector:
        total = self.kept * ((1.0 - self.veiled) * food_look(self.food) + self.veiled * veiled_look())
        for state, strength in self.states.items():
            family = self.food.family if not self.veiled else "any"
            total = total + strength * state_look(state, family)
        # A thing takes one share of the picture, however many changes it went through.
        return (total / max(1.0, float(np.linalg.norm(total)))).astype(np.float32)


class _Counter:
    """The kitchen counter: the state of each food (by look: look-alikes are one) and what lies in which vessel."""

    def __init__(self, veil: float) -> None:
        self.veil = veil
        self.things: dict[Food, _Thing] = {}
        self.contents: dict[str, list[Food]] = {}
        self.vessel = ""
        self.laid_out: list[tuple[Sight, ...]] = []  # by step, what it needs and hides

    def work(self, sentence: Sentence) -> StepView:
        """Do what the sentence says; returns what is seen of it."""
        families = [action_family(verb) for verb in sentence.actions]
        named = {name: food(name) for name, _ in sentence.foods}
        if not any(self.contents.values()):  # nothing was made yet, so "the dough" was brought along
            named |= {word: food(word) for word in sentence.made if look_up(foods(), (word,))}
        for name, states in sentence.foods:
            for state in states:
                self._thing(named[name]).change(state)
        vessel = self._vessel_for(families, sentence.vessels)
        if sentence.made and set(families) & MOVES_CONTENTS:
            self._pour(self.vessel, vessel)
        around = [item for item in self.contents.get(vessel, ()) if item not in named.values()]
        if sentence.made and not around:  # "slice it": on the board, but it is what was in the vessel
            around = [item for item in self.contents.get(self.vessel, ()) if item not in named.values()]
        items = list(dict.fromkeys([*named.values(), *around]))
        self._veil(named)
        before = {item: self._thing(item).look() for item in items}
        self._change(families, list(dict.fromkeys(named.values())), around, bool(sentence.made))
        after = {item: self._thing(item).look() for item in items}
        if set(families) & PUT_IN:
            lying = self.contents.setdefault(vessel, [])
            lying += [item for item in dict.fromkeys(named.values()) if item not in lying]
        if vessel not in PASSING:
            self.vessel = vessel
        for item in named.values():
            self._thing(item).veiled = self.veil
        sights = [Sight(name, before[item], after[item], len(named) ** -0.5, True) for name, item in named.items()]
        if around:
            share = 1.0 if sentence.made or not named else AROUND
            seen = (_together(before[item] for item in around), _together(after[item] for item in around))
            sights.append(Sight(f"in the {vessel}", *seen, share, False))
        return StepView(sentence.actions or ("prepare",), tuple(sights), vessel)

    def _veil(self, named: dict[str, Food]) -> None:
        """From the second step on, foods hide behind the veil; they were seen in the step before, laid out."""
        laid = []
        for name, item in named.items():
            thing = self._thing(item)
            if self.laid_out and self.veil and not thing.veiled:
                look = thing.look()
                laid.append(Sight(f"{name}, laid out", look, look, self.veil * LAID_OUT, False))
                thing.veiled = self.veil
        self.laid_out.append(tuple(laid))

    def _thing(self, item: Food) -> _Thing:
        return self.things.setdefault(item, _Thing(item))

    def _vessel_for(self, families: Sequence[str], said: Sequence[str]) -> str:
        """The vessel the sentence says; else the one in use, if the action can be done there; else the usual one."""
        if said:
            return said[-1]
        for family in families:
            result = effect(family)
            if result.vessels and self.vessel not in result.vessels:
                return result.vessels[0]
        return self.vessel or "bowl"

    def _pour(self, source: str, target: str) -> None:
        if source != target:
            lying = self.contents.setdefault(target, [])
            lying += [item for item in self.contents.pop(source, []) if item not in lying]

    def _change(self, families: Sequence[str], named: list[Food], around: list[Food], made: bool) -> None:
        for family in families:
            touched = named + (around if made or not named or family in CHANGES_CONTENTS else [])
            for item in touched:
                self._thing(item).change(effect(family).state)


def _together(looks: Iterable[Vector]) -> Vector:
    """One picture of several things: the more there are, the less is seen of each."""
    total: Vector = np.stack(list(looks)).sum(axis=0)
    return (total / max(1.0, float(np.linalg.norm(total)))).astype(np.float32)


def read_sentence(text: str, ingredients: Sequence[str] = ()) -> Sentence:
    """Find actions, foods and vessels in a sentence; foods are the listed ingredients and every food the kitchen knows.

    A participle ("chopped onions") is no action of this step: it tells the state of the food after it.
    """
    return _Reader(ingredients).read(text)


class _Reader:
    """Reads the sentences of one recipe.

    Args:
        ingredients: the recipe's ingredients by name, as far as they are known.
    """

    def __init__(self, ingredients: Sequence[str]) -> None:
        self.ingredients = ingredients
        self.listed = IngredientMatcher(ingredients)
        self.verbs = _action_matcher()

    def read(self, text: str) -> Sentence:
        """What the sentence names. At each place the longest reading wins; of equals, the action."""
        words = ptb_tokens(text)
        commands = {mention.positions[0]: mention for mention in self.verbs.find(text)}
        listed = {mention.positions[0]: mention for mention in self.listed.find(text)}
        actions: dict[str, None] = {}
        named: dict[str, tuple[str, ...]] = {}
        seen_vessels: list[str] = []
        made: list[str] = []
        pending: list[str] = []
        place = 0
        while place < len(words):
            length, name, vessel = _longest(words, place)
            if place in listed and len(listed[place].positions) >= length:
                length, name, vessel = len(listed[place].positions), self.ingredients[listed[place].ingredient], ""
            if place in commands and len(commands[place].positions) >= length:
                length, verb = len(commands[place].positions), self.verbs.verbs[commands[place].action]
                if verb_forms(verb).get(words[place]) is Form.PAST:
                    pending.append(effect(action_family(verb)).state)
                else:
                    actions[verb] = None
            elif vessel:
                seen_vessels.append(vessel)
            elif name:
                named.setdefault(name, tuple(state for state in pending if state))
                pending = []
            elif canonical(words[place]) in MIXTURE_WORDS:
                made.append(canonical(words[place]))
            place += max(1, length)
        return Sentence(tuple(actions), tuple(named.items()), tuple(seen_vessels), tuple(made))


def _longest(words: list[str], place: int) -> tuple[int, str, str]:
    """The longest known food or vessel that begins at `place`: number of words (0 for none), food name, vessel look."""
    for length in range(min(LONGEST_NAME, len(words) - place), 0, -1):
        part = tuple(words[place : place + length])
        vessel, known = look_up(vessels(), part), look_up(foods(), part)
        if vessel:
            return length, "", vessel
        if known and not (length == 1 and canonical(part[0]) in MIXTURE_WORDS):
            return length, " ".join(part), ""
    return 0, "", ""


@cache
def _action_matcher() -> ActionMatcher:
    return ActionMatcher(sorted({*packaged_verbs(), *action_families()}))
