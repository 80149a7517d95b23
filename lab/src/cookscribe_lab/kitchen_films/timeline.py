"""When things happen in a made-up video: steps of 3 to 60 seconds, and as much time in which nothing is cooked."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from cookscribe.recipe import Span
from cookscribe_lab.kitchen_films.states import Act

TICK = 0.1  # seconds: every border lies on it, so that it is a border between two drawn frames as well
SHORTEST_STEP, LONGEST_STEP = 3.0, 60.0
SHORTEST_INTERLUDE = 1.5


class InterludeKind(StrEnum):
    """What is shown while nothing is cooked."""

    TITLE = "title"
    TALKING = "talking"
    INGREDIENTS = "ingredients"
    IDLE = "idle"
    TASTING = "tasting"
    DISH = "dish"
    CREDITS = "credits"


@dataclass(frozen=True)
class Interlude:
    """A stretch that is no step."""

    kind: InterludeKind
    span: Span


# Median seconds of an act at tempo 1; what is not named here takes 9 seconds.
_MEDIANS = {
    "slice": 14.0, "chop": 15.0, "grate": 14.0, "peel": 12.0, "whisk": 13.0, "knead": 20.0, "roll": 15.0, "fry": 19.0,
    "sear": 16.0, "boil": 15.0, "simmer": 16.0, "bake": 12.0, "stir": 14.0, "mash": 14.0, "shape": 18.0, "coat": 13.0,
}  # fmt: skip


def _step_length(acts: Sequence[Act], tempo: float, rng: np.random.Generator) -> float:
    median = sum(_MEDIANS.get(act.action, 9.0) * (1 + 0.25 * (min(len(act.items), 3) - 1)) for act in acts)
    length = median * float(np.exp(rng.normal(0.0, 0.35)))
    # However brisk the video, each act stays long enough to be seen.
    shortest = max(SHORTEST_STEP, 2.0 * len(acts))
    return float(np.clip(length / tempo, shortest, LONGEST_STEP))


def _between(number: int, count: int, rng: np.random.Generator) -> list[InterludeKind]:
    """What comes before step `number` of `count` (`number == count`: after the last)."""
    kind = InterludeKind
    if number == 0:
        opening = [[kind.TITLE, kind.TALKING], [kind.TALKING, kind.TITLE], [kind.DISH, kind.TITLE, kind.TALKING]]
        chosen = opening[int(rng.integers(len(opening)))]
        return [*chosen, kind.INGREDIENTS] if rng.random() < 0.5 else chosen
    if number == count:
        ending = [kind.DISH]
        if rng.random() < 0.5:
            ending.append(kind.TASTING)
        if rng.random() < 0.6:
            ending.append(kind.TALKING)
        if rng.random() < 0.5:
            ending.append(kind.CREDITS)
        return ending
    draw = rng.random()
    if draw < 0.2:
        return []
    if draw < 0.65:
        return [kind.TALKING]
    if draw < 0.85:
        return [kind.IDLE]
    return [kind.TASTING] if number > count // 2 else [kind.IDLE, kind.TALKING]


def lay_out(
    acts: Sequence[Sequence[Act]], tempo: float, rng: np.random.Generator
) -> tuple[list[Span], tuple[Interlude, ...], float]:
    """Put steps and interludes one after the other.

    Returns:
        The span of every step, the interludes, and the length of the whole in seconds.
    """
    lengths = [_step_length(step, tempo, rng) for step in acts]
    gaps = [_between(number, len(acts), rng) for number in range(len(acts) + 1)]
    weights = [float(rng.gamma(3.0)) for gap in gaps for _ in gap]
    # Steps fill between 42 and 58 % of the video.
    idle = sum(lengths) * float(rng.uniform(0.72, 1.38))
    total = sum(weights)
    pauses = iter([max(SHORTEST_INTERLUDE, idle * weight / total) for weight in weights])
    spans: list[Span] = []
    interludes: list[Interlude] = []
    clock = 0
    for number, gap in enumerate(gaps):
        for kind in gap:
            start, clock = clock, clock + max(1, round(next(pauses) / TICK))
            interludes.append(Interlude(kind, _span(start, clock)))
        if number < len(acts):
            start, clock = clock, clock + round(lengths[number] / TICK)
            spans.append(_span(start, clock))
    return spans, tuple(interludes), _seconds(clock)


def _seconds(ticks: int) -> float:
    return round(ticks * TICK, 1)


def _span(start: int, end: int) -> Span:
    return Span(start=_seconds(start), end=_seconds(end))
