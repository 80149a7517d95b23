"""Cut augmentation: other cuts of a video that has been watched already.

Watching is what costs when a model learns from drawn videos. Since the scenes of a drawn video are known, its feature
rows can be cut anew: scenes get longer or shorter, interludes and now and then a step fall out. All rows come from the
video itself, so that its kitchen and its light stay the same from beginning to end.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cookscribe.learning.datasets.records import AnnotatedVideo
from cookscribe.seeds import generator
from cookscribe.track import FeatureTrack
from cookscribe_lab.kitchen_films.recipes import MadeUpRecipe

TEMPO = (0.7, 1.4)  # a scene gets this many times as long
WITHOUT_INTERLUDE, WITHOUT_STEP = 0.25, 0.1  # shares that fall out
FEWEST_STEPS = 3


@dataclass(frozen=True)
class Stretch:
    """A stretch of a video in seconds; `step` is None for an interlude."""

    start: float
    end: float
    step: int | None


def stretches(recipe: MadeUpRecipe) -> list[Stretch]:
    """Steps and interludes in order; they tile the video."""
    steps = [Stretch(step.span.start, step.span.end, number) for number, step in enumerate(recipe.steps)]
    pauses = [Stretch(interlude.span.start, interlude.span.end, None) for interlude in recipe.interludes]
    return sorted([*steps, *pauses], key=lambda scene: scene.start)


def other_cut(recipe: MadeUpRecipe, found: FeatureTrack, number: int) -> tuple[AnnotatedVideo, FeatureTrack]:
    """Another cut of a video: its truth, and its track with as many rows a second as before.

    Args:
        recipe: what is cooked.
        found: the track of its video.
        number: which cut; the same number gives the same cut.
    """
    rng = generator("remix", recipe.seed, recipe.number, number)
    scenes = _chosen(stretches(recipe), rng)
    lengths = np.array([scene.end - scene.start for scene in scenes]) * rng.uniform(*TEMPO, len(scenes))
    ends = np.cumsum(lengths)
    starts = ends - lengths
    step = float(np.median(np.diff(found.times))) if len(found.times) > 1 else float(ends[-1])
    times = (np.arange(max(1, int(ends[-1] / step))) + 0.5) * step
    rows = np.array([_row(found, scenes, starts, lengths, time, rng) for time in times.tolist()])
    told = [(number, place) for place, number in enumerate(scene.step for scene in scenes) if number is not None]
    kept = [recipe.steps[number] for number, _ in told]
    used = {kind for step_ in kept for kind in step_.ingredients}
    video = AnnotatedVideo(
        id=f"{recipe.id}_cut{number}",
        duration=float(ends[-1]),
        spans=np.array([[starts[place], ends[place]] for _, place in told]),
        sentences=tuple(step_.sentence for step_ in kept),
        ingredients=tuple(recipe.called[kind] for kind in recipe.ingredients if kind in used),
        split=recipe.split,
        recipe_type=recipe.dish,
        simulated=True,
    )
    return video, FeatureTrack(times, found.values[rows], found.encoder, float(ends[-1]), simulated=True)


def _chosen(scenes: list[Stretch], rng: np.random.Generator) -> list[Stretch]:
    """Most of the scenes, and always a few steps."""
    draws = rng.random(len(scenes))
    limits = [WITHOUT_INTERLUDE if scene.step is None else WITHOUT_STEP for scene in scenes]
    kept = [scene for scene, draw, limit in zip(scenes, draws, limits, strict=True) if draw >= limit]
    return kept if sum(scene.step is not None for scene in kept) >= FEWEST_STEPS else scenes


def _row(
    found: FeatureTrack,
    scenes: list[Stretch],
    starts: NDArray[np.float64],
    lengths: NDArray[np.float64],
    time: float,
    rng: np.random.Generator,
) -> int:
    """The row that is seen at `time` of the new cut: one of the same scene, about as far into it."""
    place = int(np.searchsorted(starts, time, side="right")) - 1
    scene = scenes[place]
    inside = np.flatnonzero((found.times >= scene.start) & (found.times < scene.end))
    moment = scene.start + (scene.end - scene.start) * (time - starts[place]) / lengths[place] + rng.uniform(-0.5, 0.5)
    among = inside if len(inside) else np.arange(len(found.times))
    return int(among[np.abs(found.times[among] - moment).argmin()])
