"""States of ingredients in the simulated kitchen, typed: cut, heat, form, place and mixture; and `Act`."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Cut(StrEnum):
    """What was done to the shape. `WHOLE` is "as it came", also for powders and liquids."""

    WHOLE = "whole"
    PEELED = "peeled"
    SLICED = "sliced"
    CHOPPED = "chopped"
    GRATED = "grated"
    CRACKED = "cracked"
    BEATEN = "beaten"
    MASHED = "mashed"
    SQUEEZED = "squeezed"


class Heat(StrEnum):
    """What heat did. `SEARED` is fried on one side only."""

    RAW = "raw"
    HOT = "hot"
    MELTED = "melted"
    SEARED = "seared"
    FRIED = "fried"
    BOILED = "boiled"
    BAKED = "baked"
    TOASTED = "toasted"


class Form(StrEnum):
    """How it lies with the others."""

    LOOSE = "loose"
    MIXED = "mixed"
    KNEADED = "kneaded"
    ROLLED = "rolled"
    SHAPED = "shaped"
    COATED = "coated"
    SPREAD = "spread"
    LAYERED = "layered"
    CLOSED = "closed"
    BLENDED = "blended"
    PORTIONED = "portioned"


class Place(StrEnum):
    """Where it is. Everything begins on the `COUNTER`; `DISH` is where things wait, `SINK` where drained water goes."""

    COUNTER = "counter"
    SURFACE = "floured surface"
    BOARD = "cutting board"
    BOWL = "bowl"
    SMALL_BOWL = "small bowl"
    PAN = "pan"
    POT = "pot"
    TRAY = "baking tray"
    BLENDER = "blender"
    DISH = "dish"
    PLATE = "plate"
    GLASS = "glass"
    SINK = "sink"


@dataclass(frozen=True)
class ItemState:
    """The state of one ingredient."""

    cut: Cut = Cut.WHOLE
    heat: Heat = Heat.RAW
    form: Form = Form.LOOSE
    place: Place = Place.COUNTER
    mixture: str = ""

    def as_json(self) -> dict[str, str]:
        """Plain strings, for files."""
        return {name: str(value) for name, value in vars(self).items()}


# Ingredients in the order in which they came to where they are: what was put in last lies on top.
State = Mapping[str, ItemState]


@dataclass(frozen=True)
class Act:
    """One action on named ingredients at one place.

    Attributes:
        action: key of `ACTIONS`.
        items: ingredients it acts on.
        place: where it happens; moved ingredients end here.
        base: ingredients that things are put on (bread, dough), or that a piece is dipped into.
        mixture: name of what comes out ("batter"), where the action makes a mixture.
    """

    action: str
    items: tuple[str, ...]
    place: Place
    base: tuple[str, ...] = ()
    mixture: str = ""
