"""The film of a recipe: what is in view at every moment, as looks with weights over time.

Steps show their actions one after the other and their things while these change. About half of a cooking video lies
between the steps; there the cook talks, rests, shows what will be needed or the finished dish, goes on with what was
annotated as over, or does something nobody annotated. Borders are soft, and not quite where the annotator set them.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from cookscribe.learning.datasets.records import AnnotatedVideo
from cookscribe_lab.kitchen_features.looks import (
    ACTION,
    SCENE,
    SIZE,
    THING,
    Vector,
    action_look,
    scene_look,
    vessel_look,
)
from cookscribe_lab.kitchen_features.script import StepView, stage

Times = NDArray[np.floating]
Weights = NDArray[np.float64]

BETWEEN = ("title", "talk", "idle", "show", "dish", "linger", "work")
# How often each kind of stretch fills the time between the steps, by place.
ODDS = {
    "opening": (0.40, 0.40, 0.00, 0.10, 0.10, 0.00, 0.00),
    "before the first step": (0.00, 0.35, 0.10, 0.20, 0.00, 0.00, 0.35),
    "between two steps": (0.00, 0.20, 0.05, 0.05, 0.00, 0.20, 0.50),
    "after the last step": (0.10, 0.20, 0.00, 0.00, 0.25, 0.20, 0.25),
}
# What cooks also do, and annotators leave out.
UNANNOTATED = ("stir", "add", "pour", "take", "open", "turn", "mix", "wash", "move")


@dataclass(frozen=True)
class Muddle:
    """What stands between a film and a textbook, each 0 in the textbook.

    Attributes:
        instance: how far a look strays in this video (another knife, another sort of onion), relative to its length.
        event: how far it strays again in every stretch.
        hidden: probability that a thing cannot be seen although the step is about it.
        distraction: 1 for borders, pauses and unannotated work as real videos have them, 0 for none.
    """

    instance: float
    event: float
    hidden: float
    distraction: float


@dataclass(frozen=True, eq=False)
class FilmedLooks:
    """K looks (K, SIZE) and how strongly each is in view at each of T moments (T, K)."""

    looks: NDArray[np.float32]
    weights: NDArray[np.float32]

    def meaning(self) -> NDArray[np.float32]:
        """(T, SIZE) what is in view at each moment."""
        return self.weights @ self.looks


def shoot(
    video: AnnotatedVideo, times: Times, rng: np.random.Generator, muddle: Muddle, veil: float = 0.0
) -> FilmedLooks:
    """Film a video at the given moments.

    What happens does not depend on the moments: two encoders with different time lines see the same film.
    """
    camera = _Camera(times, rng, muddle)
    scenes = stage(video, veil)
    spans = _seen_spans(video, rng, muddle.distraction)
    for scene, (start, end) in zip(scenes, spans, strict=True):
        camera.step(scene, start, end, strength=rng.uniform(0.7, 1.2))
    borders = [0.0, *spans.reshape(-1).tolist(), video.duration]
    for gap in range(len(scenes) + 1):
        start, end = borders[2 * gap], borders[2 * gap + 1]
        while end - start > 0.5:
            stop = min(end, start + rng.gamma(2.0, 6.0))
            camera.between(scenes, gap, start, stop)
            start = stop
    return camera.film()


def _seen_spans(video: AnnotatedVideo, rng: np.random.Generator, distraction: float) -> NDArray[np.float64]:
    """(S, 2) when the steps are really seen: annotators mark borders early or late, more so on long steps."""
    length = video.spans[:, 1:] - video.spans[:, :1]
    slack = distraction * (0.5 + 0.12 * length)
    spans = np.clip(video.spans + slack * rng.standard_normal(video.spans.shape), 0.0, video.duration)
    shrunk = spans[:, 1:] - spans[:, :1] < 0.5 * length
    return np.where(shrunk, video.spans, spans)


class _Camera:
    """Collects looks and their weights over time."""

    def __init__(self, times: Times, rng: np.random.Generator, muddle: Muddle) -> None:
        self.times, self.rng, self.muddle = times, rng, muddle
        self.names: list[str] = []
        self.looks: list[Vector] = []
        self.weights: list[Weights] = []

    def show(self, name: str, look: Vector, weight: Weights) -> None:
        """Add a look with its weight (T,) over time."""
        self.names.append(name)
        self.looks.append(look)
        self.weights.append(weight)

    def film(self) -> FilmedLooks:
        """All that was shown. In this kitchen, and again in each stretch, looks stray from the vocabulary."""
        rng, muddle = self.rng, self.muddle
        if not self.looks:  # a blink of a video, without a step
            self.show("idle", scene_look("idle"), np.full(len(self.times), 0.5))
        looks = np.stack(self.looks)
        number = {name: n for n, name in enumerate(sorted(set(self.names)))}
        own = rng.standard_normal((len(number), SIZE), dtype=np.float32)[[number[name] for name in self.names]]
        stray = muddle.instance * own + muddle.event * rng.standard_normal(looks.shape, dtype=np.float32)
        for part in (ACTION, THING, SCENE):
            length = np.linalg.norm(looks[:, part], axis=1, keepdims=True)
            looks[:, part] += stray[:, part] * (length / np.sqrt(part.stop - part.start))
        return FilmedLooks(looks, np.stack(self.weights, axis=1).astype(np.float32))

    def window(self, start: float, end: float, ramp: float) -> Weights:
        """(T,) 1 inside the stretch, 0 outside, with soft edges of `ramp` seconds."""
        rise = (self.times - start) / ramp + 0.5
        fall = (end - self.times) / ramp + 0.5
        edge = np.clip(np.minimum(rise, fall), 0.0, 1.0)
        weight: Weights = edge * edge * (3.0 - 2.0 * edge)
        return weight

    def step(self, scene: StepView, start: float, end: float, strength: float) -> None:
        """Show a step: its actions and named things in turn, all things changing on the way."""
        rng, length = self.rng, max(end - start, 0.5)
        inside = strength * self.window(start, end, min(3.0, 0.3 * length) * rng.uniform(0.5, 1.5))
        pause, looks_up = rng.uniform(0.15, 0.35) * length, rng.random() < 0.5 * self.muddle.distraction
        if length > 8.0 and looks_up:
            at = rng.uniform(start, end - pause)
            talking = self.window(at, at + pause, 1.0)
            self.show("talk", scene_look("talk"), 0.8 * talking)
            inside = inside * (1.0 - 0.7 * talking)
        for verb, phase in zip(scene.actions, self.phases(start, length, len(scene.actions)), strict=True):
            self.show(f"do {verb}", action_look(verb), inside * (0.25 + 0.75 * phase) * rng.uniform(0.6, 1.1))
        named = [sight for sight in scene.sights if sight.named]
        turns = dict(zip((sight.name for sight in named), self.phases(start, length, len(named)), strict=True))
        progress = np.clip((self.times - start) / length, 0.0, 1.0)
        for sight in scene.sights:
            seen = inside * sight.weight * rng.uniform(0.4, 1.2)
            if rng.random() < self.muddle.hidden:  # behind a hand, or cut away
                seen = 0.2 * seen
            if sight.named:
                seen = seen * (0.5 + 0.5 * turns[sight.name])
            self.show(sight.name, sight.before, seen * (1.0 - progress))
            self.show(sight.name, sight.after, seen * progress)
        self.show(f"in {scene.vessel}", vessel_look(scene.vessel), inside * rng.uniform(0.3, 0.7))
        self.show("work", scene_look("work"), inside * rng.uniform(0.0, 0.5))
        if rng.random() < 0.4:  # and talks while working
            self.show("talk", scene_look("talk"), inside * rng.uniform(0.2, 0.7))

    def phases(self, start: float, length: float, count: int) -> list[Weights]:
        """Cut a stretch into `count` parts at random: one soft window each."""
        cuts = [0.0, *self.rng.dirichlet(np.full(count, 4.0)).cumsum().tolist()] if count else [0.0]
        ramp = min(2.0, 0.3 * length)
        return [self.window(start + left * length, start + right * length, ramp) for left, right in pairwise(cuts)]

    def between(self, scenes: list[StepView], gap: int, start: float, stop: float) -> None:
        """One stretch before step `gap` (after the last step: `gap` is the number of steps)."""
        rng = self.rng
        kind = BETWEEN[int(rng.choice(len(BETWEEN), p=self.odds(start, gap, len(scenes))))]
        seen = self.window(start, stop, min(2.0, 0.4 * (stop - start)))
        if kind in ("linger", "work"):
            near = gap - 1 if kind == "linger" else int(np.clip(round(rng.normal(gap, 2.0)), 0, len(scenes) - 1))
            source = scenes[near]
            verb = source.actions[-1] if kind == "linger" or rng.random() < 0.5 else str(rng.choice(UNANNOTATED))
            self.step(StepView((verb,), source.sights, source.vessel), start, stop, strength=rng.uniform(0.4, 1.1))
            return
        self.show(kind, scene_look(kind), seen * rng.uniform(0.3, 1.0))
        if kind == "title" or not scenes:
            return
        source = {"dish": scenes[-1], "show": scenes[min(gap, len(scenes) - 1)]}.get(kind, scenes[max(0, gap - 1)])
        for sight in source.sights:
            raw = kind == "show" or (gap == 0 and kind != "dish")
            self.show(sight.name, sight.before if raw else sight.after, seen * sight.weight * rng.uniform(0.1, 0.7))
        if kind in ("idle", "talk") and gap:
            self.show(f"in {source.vessel}", vessel_look(source.vessel), seen * rng.uniform(0.1, 0.4))

    def odds(self, start: float, gap: int, count: int) -> NDArray[np.float64]:
        """Probabilities of the kinds of stretch; without distraction, talking takes the place of work."""
        if start == 0.0:
            place = "opening"
        elif gap == 0:
            place = "before the first step"
        else:
            place = "after the last step" if gap == count else "between two steps"
        odds = dict(zip(BETWEEN, ODDS[place], strict=True))
        for kind in ("linger", "work"):
            kept = odds[kind] * self.muddle.distraction if count else 0.0
            odds["talk"] += odds[kind] - kept
            odds[kind] = kept
        values = np.array(list(odds.values()))
        total: float = values.sum()
        return np.asarray(values / total)
