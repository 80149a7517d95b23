"""The visual vocabulary: a fixed vector for every action, food, state, vessel and kind of scene.

A look is a sum of unit vectors, one per trait, so that related words look related: a family trait, and the trait of
the word (an action) or of its look-alike group (a food: members of one group have exactly one look). The vocabulary
does not depend on the seed of a video, as a frozen encoder does not depend on what it is shown.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from cookscribe.seeds import generator
from cookscribe_lab.kitchen_features.words import Food, action_family

Vector = NDArray[np.float32]

VOCABULARY = "kitchen vocabulary 1"
ACTION_SIZE, THING_SIZE, SCENE_SIZE = 96, 224, 64
SIZE = ACTION_SIZE + THING_SIZE + SCENE_SIZE
ACTION = slice(0, ACTION_SIZE)
THING = slice(ACTION_SIZE, ACTION_SIZE + THING_SIZE)
SCENE = slice(ACTION_SIZE + THING_SIZE, SIZE)


@lru_cache(maxsize=20000)
def _trait(part: str, kind: str, name: str) -> Vector:
    """(SIZE,) a unit vector inside one part ("action", "thing" or "scene") of the space."""
    where = {"action": ACTION, "thing": THING, "scene": SCENE}[part]
    vector = np.zeros(SIZE, dtype=np.float32)
    values = generator(VOCABULARY, part, kind, name).standard_normal(where.stop - where.start, dtype=np.float32)
    vector[where] = values / np.linalg.norm(values)
    vector.setflags(write=False)
    return vector


def _blend(*weighted: tuple[float, Vector]) -> Vector:
    total = sum(weight * vector for weight, vector in weighted)
    assert isinstance(total, np.ndarray)
    total.setflags(write=False)
    return total


@lru_cache(maxsize=20000)
def action_look(verb: str) -> Vector:
    """(SIZE,) what doing it looks like: mostly the family's movement, and a little of its own."""
    return _blend((0.8, _trait("action", "family", action_family(verb))), (0.6, _trait("action", "verb", verb)))


@lru_cache(maxsize=20000)
def food_look(food: Food) -> Vector:
    """(SIZE,) the raw food, the same for all look-alikes."""
    return _blend((0.55, _trait("thing", "family", food.family)), (0.85, _trait("thing", "group", food.group)))


@lru_cache(maxsize=20000)
def state_look(state: str, family: str) -> Vector:
    """(SIZE,) what a change of state adds: mostly the state's own look, partly as it shows on this family of food."""
    return _blend((0.8, _trait("thing", "state", state)), (0.6, _trait("thing", f"state of {family}", state)))


def veiled_look() -> Vector:
    """(SIZE,) food of which nothing can be seen but that it is food."""
    return _trait("thing", "veiled", "food")


@lru_cache(maxsize=2000)
def vessel_look(vessel: str) -> Vector:
    """(SIZE,) a vessel or tool."""
    return _trait("thing", "vessel", vessel)


@lru_cache(maxsize=2000)
def scene_look(scene: str) -> Vector:
    """(SIZE,) a kind of scene: "talk", "idle", "title", "show", "work", "dish"."""
    return _trait("scene", "scene", scene)
