"""Where the steps are in a film of which only pictures are known.

No film with pictures and annotated steps is at hand, so nothing here is learnt from one. What YouCook2's annotations
say about the number and the lengths of steps is a prior; the pictures say where something changes, and where nobody
cooks. The answer is the set of spans, none of which overlap, with the highest sum; `best_set` finds it exactly.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from cookscribe.candidates import Candidates
from cookscribe.config import Config
from cookscribe.proposals.span_sets import SpanGrid, best_set
from cookscribe.track import FeatureTrack

Floats = NDArray[np.floating]

PRIOR = "steps.json"  # beside the sight model of a bundle
LONGEST_BIN = 4.0  # seconds; finer where the film is short
SHORTEST_STEP = 2.0  # seconds
# No annotated film is shorter than 44 seconds. In shorter ones a step has at least this many seconds of film to itself.
FILM_PER_STEP = 12.0
BESIDE = 4.0  # seconds on each side of a border that are compared
CHANGE = 1.5  # weight of a change at a border of a step
INSIDE = 0.5  # weight of a change within a step
WORK = 0.1  # weight of a second's log odds; neighbouring seconds say nearly the same
MOST = 18


class StepPrior(Config):
    """How many steps films have and how long they are, in logarithms: mean and deviation.

    Attributes:
        count: slope and shift of log number against log seconds of film; count_deviation.
        length: mean log of a step's share of its part of the film (duration / number); length_deviation.
    """

    count: tuple[float, float]
    count_deviation: float = Field(gt=0)
    length: float
    length_deviation: float = Field(gt=0)

    def log_count(self, number: int, duration: float) -> float:
        """Of the probability of so many steps, up to a constant."""
        slope, shift = self.count
        return -0.5 * ((math.log(number) - slope * math.log(duration) - shift) / self.count_deviation) ** 2

    def log_length(self, lengths: Floats, number: int, duration: float) -> Floats:
        """Of the probability of steps of so many seconds, up to a constant."""
        share = np.log(np.maximum(lengths, 1e-3) * number / duration)
        return np.asarray(-0.5 * ((share - self.length) / self.length_deviation) ** 2)


def changes(track: FeatureTrack, times: Floats) -> Floats:
    """(B,) how much the picture changes at each time, in deviations of this film; 0 on average, 3 at most."""
    rows = np.asarray(track.values, dtype=np.float64)
    rows = rows - rows.mean(axis=0)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True) + 1e-9
    found = np.zeros(len(times))
    for number, time in enumerate(times):
        before = rows[(track.times >= time - BESIDE) & (track.times < time)]
        after = rows[(track.times >= time) & (track.times < time + BESIDE)]
        if len(before) and len(after):
            one, other = before.mean(axis=0), after.mean(axis=0)
            found[number] = np.linalg.norm(one - other)
    return np.asarray(np.clip((found - found.mean()) / (found.std() + 1e-9), -3.0, 3.0))


def working_part(track: FeatureTrack, work: Floats) -> Floats:
    """(1, 2) from the first to the last still in which somebody is at work; the whole clip if that is in few of them.

    A cook who is in the picture may be at work all the same.
    """
    at_work = np.flatnonzero(work > 0)
    if 2 * len(at_work) < len(work):
        return np.array([[0.0, track.duration]])
    step = float(np.median(np.diff(track.times))) if len(track.times) > 1 else track.duration
    end = min(float(track.times[at_work[-1]]) + step, track.duration)
    return np.array([[min(float(track.times[at_work[0]]), end), end]])


def find_steps(track: FeatureTrack, work: Floats, prior: StepPrior, most: int = MOST) -> Candidates:
    """The likeliest steps.

    Args:
        track: rows of stills; work: (T,) log odds that somebody is at work in each, against talk, titles and rest.
        prior: on number and lengths.
    """
    duration = track.duration
    if duration < 2 * FILM_PER_STEP:
        return Candidates(working_part(track, work), np.array([0.5]), duration, count=1.0)
    bins = int(np.clip(round(duration / min(LONGEST_BIN, max(0.5, duration / 60))), 2, 128))
    every = SpanGrid(bins, bins)
    width = duration / bins
    borders = np.arange(bins + 1) * width
    change = changes(track, borders)
    change[0] = change[-1] = 0.0
    grid = every.spans
    lengths = (grid[:, 1] - grid[:, 0]) * width
    per_bin = np.interp((np.arange(bins) + 0.5) * width, track.times, work) * width * WORK
    worked = np.concatenate([[0.0], np.cumsum(per_bin)])
    within = np.concatenate([[0.0], np.cumsum(np.maximum(change, 0.0))])
    picture = (
        CHANGE / 2 * (change[grid[:, 0]] + change[grid[:, 1]])
        + worked[grid[:, 1]] - worked[grid[:, 0]]
        - INSIDE * (within[grid[:, 1] - 1] - within[grid[:, 0]]).clip(min=0.0)
    )  # fmt: skip
    picture[lengths < min(SHORTEST_STEP, duration / 2)] = -1e6
    most = max(1, min(most, int(duration / FILM_PER_STEP)))
    found: list[tuple[float, float, list[int]]] = []
    for number in range(1, most + 1):
        gains = picture + prior.log_length(lengths, number, duration)
        if best := best_set(gains, every, number):
            found.append((prior.log_count(number, duration), float(gains[best].sum()), best))
    # A step more must be as good as those of the number that is likeliest beforehand.
    expected = max(range(len(found)), key=lambda n: found[n][0])
    usual = found[expected][1] / (expected + 1)
    total = [count + value - usual * (n + 1) for n, (count, value, _) in enumerate(found)]
    chosen = found[int(np.argmax(total))][2]
    spans = np.minimum(grid[chosen] * width, duration)
    scores = 0.5 + 0.5 * np.tanh(picture[chosen] / 4)
    return Candidates(spans, scores, duration, count=float(len(chosen)))
