"""`Cook`: makes the choices of one recipe, checks every act against the rules and writes the steps down."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cookscribe_lab.kitchen_films.food_table import FOODS
from cookscribe_lab.kitchen_films.grammar import sentence
from cookscribe_lab.kitchen_films.splits import Pair, permitted
from cookscribe_lab.kitchen_films.states import Act, Cut, ItemState, Place
from cookscribe_lab.kitchen_films.world import contents, perform

# Places, as the programs of dishes call them.
BOARD, BOWL, SMALL_BOWL, PAN, POT = Place.BOARD, Place.BOWL, Place.SMALL_BOWL, Place.PAN, Place.POT
TRAY, BLENDER, DISH, PLATE, GLASS = Place.TRAY, Place.BLENDER, Place.DISH, Place.PLATE, Place.GLASS
SURFACE = Place.SURFACE
# Pairs of acts at one place that people put into one sentence, and how often they do.
JOINS = frozenset(
    tuple(pair.split())
    for pair in (
        "add pour", "add season", "add stir", "add mix", "add toss", "pour add", "pour pour", "pour whisk", "pour mix",
        "pour stir", "pour toss", "pour season", "crack whisk", "crack pour", "season whisk", "season mix",
        "season toss", "season stir", "season simmer", "squeeze mix", "squeeze toss", "heat boil", "heat fry",
        "melt fry", "boil drain", "fry season", "spread layer", "layer layer", "layer close", "spread sprinkle",
        "sprinkle layer", "pour simmer", "pour blend", "add blend",
    )
)  # fmt: skip
JOIN_CHANCE = 0.4


class DeadEndError(Exception):
    """The split leaves no ingredient or no way to go on; another draw will do."""


@dataclass(frozen=True)
class PlannedStep:
    """The acts of a step and its sentence."""

    acts: tuple[Act, ...]
    sentence: str


class Cook:
    """One recipe in the making. Dishes call `one`, `some`, `cut` to choose and `step` to do."""

    def __init__(self, rng: np.random.Generator, split: str) -> None:
        self.rng = rng
        self.split = split
        self.state: dict[str, ItemState] = {}
        self.steps: list[PlannedStep] = []
        self._befores: list[dict[str, ItemState]] = []  # the state before each step

    def chance(self, probability: float) -> bool:
        """True with this probability."""
        return bool(self.rng.random() < probability)

    def some(self, options: Sequence[str], low: int, high: int, *actions: str) -> list[str]:
        """Between `low` and `high` different options, each of which this split may use with all `actions`."""
        fitting = [
            name
            for name in options
            if name not in self.state and all(permitted(self.split, (action, name)) for action in actions)
        ]
        if len(fitting) < low:
            raise DeadEndError
        count = min(len(fitting), int(self.rng.integers(low, high + 1)))
        return [fitting[index] for index in self.rng.permutation(len(fitting))[:count]]

    def one(self, options: Sequence[str], *actions: str) -> str:
        """One option."""
        return self.some(options, 1, 1, *actions)[0]

    def way(self, name: str, *actions: str) -> str:
        """One of the actions that the ingredient is able to undergo and the split permits."""
        ways = [
            action for action in actions if action in FOODS[name].abilities and permitted(self.split, (action, name))
        ]
        if not ways:
            raise DeadEndError
        return ways[int(self.rng.integers(len(ways)))]

    def step(self, *acts: Act) -> None:
        """Do the acts and write them down as one step, or as a part of the step before where people would say so."""
        for act in acts:
            for name in (*act.items, *act.base):
                self.state.setdefault(name, ItemState())
        if self.steps and len(acts) == 1 and self._joins(acts[0]) and self.chance(JOIN_CHANCE):
            acts = (*self.steps.pop().acts, *acts)
            before = self._befores.pop()
            for name, item in self.state.items():
                before.setdefault(name, item)
        else:
            before = dict(self.state)
        states = [before]
        for act in acts:
            states.append(perform(states[-1], act))
        words = sentence(acts, states[:-1], self.rng)
        self.state = states[-1]
        self._befores.append(before)
        self.steps.append(PlannedStep(acts, words))

    def _joins(self, act: Act) -> bool:
        last = self.steps[-1].acts
        return len(last) == 1 and last[0].place is act.place and (last[0].action, act.action) in JOINS

    def inside(self, place: Place) -> tuple[str, ...]:
        """What is there now."""
        return contents(self.state, place)

    # -- patterns that many dishes share

    def cut(self, names: Sequence[str], *actions: str, into: Place | None = None) -> None:
        """Cut each ingredient in a permitted way, peel where one would, and often put it straight into a vessel.

        Neighbours that are cut the same way make one step ("chop the onion and carrots").
        """
        ways = {name: self.way(name, *(actions or ("slice", "chop", "grate"))) for name in names}
        groups: list[list[str]] = []
        for name in names:
            if groups and len(groups[-1]) < 2 and ways[groups[-1][-1]] == ways[name] and self.chance(0.6):
                groups[-1].append(name)
            else:
                groups.append([name])
        for group in groups:
            items = tuple(group)
            acts = [Act(ways[group[0]], items, Place.BOARD)]
            if (
                len(items) == 1
                and "peel" in FOODS[items[0]].abilities
                and self._unpeeled(items[0])
                and self.chance(0.4)
            ):
                acts.insert(0, Act("peel", items, Place.BOARD))
            together = into is not None and len(acts) == 1 and self.chance(0.7)
            if together and into is not None:
                acts.append(Act("add", items, into))
            self.step(*acts)
        if into is not None:
            waiting = tuple(name for name in names if name not in self.inside(into))
            if waiting:
                self.step(Act("add", waiting, into))

    def _unpeeled(self, name: str) -> bool:
        return name not in self.state or self.state[name].cut is Cut.WHOLE

    def grease(self) -> str:
        """Hot fat into the pan; returns which."""
        fat = self.one(("oil", "butter"))
        self.step(Act("melt" if fat == "butter" else "heat", (fat,), Place.PAN))
        return fat

    def boil_water(self) -> None:
        """Water on the hob."""
        self.step(Act("heat", ("water",), Place.POT))

    def season(self, place: Place, options: Sequence[str] = ("salt", "black pepper", "paprika")) -> None:
        """One or two spices over what is there."""
        self.step(Act("season", tuple(self.some(options, 1, 2)), place))

    def everything(self, action: str, place: Place, mixture: str = "") -> Act:
        """An act on all that is in the vessel."""
        return Act(action, self.inside(place), place, mixture=mixture)

    def plate(self, place: Place, mixture: str = "", *, sweet: bool = False) -> None:
        """Serve all that is there, now and then with a garnish."""
        self.step(self.everything("serve", place, mixture))
        if not sweet and self.chance(0.4):
            free = [name for name in ("parsley", "cilantro", "basil", "black pepper") if name not in self.state]
            if free:
                self.step(Act("sprinkle", (self.one(free),), Place.PLATE))

    def pairs(self) -> frozenset[Pair]:
        """Every (action, ingredient) pair that was done."""
        return frozenset((act.action, name) for step in self.steps for act in step.acts for name in act.items)
