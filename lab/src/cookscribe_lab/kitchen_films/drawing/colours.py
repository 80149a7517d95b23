"""Colours: mixing them, and what heat does to those of ingredients."""

import numpy as np

from cookscribe_lab.kitchen_films.food_table import FOODS, Colour, Palette
from cookscribe_lab.kitchen_films.states import Heat

BROWN: Colour = (128, 70, 26)
GOLD: Colour = (222, 152, 58)
CHAR: Colour = (72, 40, 20)

# What heat dyes things with, and how strongly.
_HEATED: dict[Heat, tuple[Colour, float]] = {
    Heat.SEARED: (GOLD, 0.25),
    Heat.FRIED: (BROWN, 0.26),
    Heat.BOILED: ((212, 196, 170), 0.28),
    Heat.BAKED: ((196, 118, 44), 0.32),
    Heat.TOASTED: ((186, 110, 44), 0.55),
}


def heated(name: str, colour: Colour, heat: Heat) -> Colour:
    """The colour after heat."""
    food = FOODS[name]
    if heat is Heat.BOILED and food.boiled:
        return mixed(colour, food.boiled, 0.85)
    if heat in (Heat.FRIED, Heat.SEARED, Heat.BAKED) and food.fried:
        return mixed(colour, food.fried, 0.8)
    if heat in _HEATED:
        tint, share = _HEATED[heat]
        return mixed(colour, tint, share)
    return colour


def palette(name: str, heat: Heat = Heat.RAW) -> Palette:
    """The colours of an ingredient after heat."""
    raw = FOODS[name].palette
    if heat in (Heat.RAW, Heat.HOT, Heat.MELTED):
        return raw
    return Palette(heated(name, raw.skin, heat), heated(name, raw.flesh, heat), heated(name, raw.mark, heat))


def mixed(first: Colour, second: Colour, share: float) -> Colour:
    """`share` of the second colour in the first."""
    return (
        round(first[0] + (second[0] - first[0]) * share),
        round(first[1] + (second[1] - first[1]) * share),
        round(first[2] + (second[2] - first[2]) * share),
    )


def lighter(colour: Colour, share: float) -> Colour:
    """Towards white."""
    return mixed(colour, (255, 255, 255), share)


def darker(colour: Colour, share: float) -> Colour:
    """Towards black."""
    return mixed(colour, (0, 0, 0), share)


def varied(colour: Colour, rng: np.random.Generator, amount: float = 12.0) -> Colour:
    """The colour with a little chance in its brightness."""
    shift = float(rng.normal(0.0, amount))
    return tuple(int(np.clip(round(channel + shift), 0, 255)) for channel in colour)  # type: ignore[return-value]
