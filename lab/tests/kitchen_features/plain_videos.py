"""Small made-up annotations for the tests of the feature streams: every context is drawn at random, so nothing but the
look can tell what a step is about."""

from collections.abc import Sequence

import numpy as np

from cookscribe.learning.datasets.records import AnnotatedVideo
from cookscribe.seeds import generator

VERBS = ("chop", "stir", "fry", "pour", "peel", "bake", "wash", "roll")
FOODS = ("onion", "tomato", "salt", "sugar", "beef", "pork", "milk", "rice", "lettuce", "egg", "shrimp", "lemon")


def plain_video(number: int, foods: Sequence[str] = FOODS, steps: int = 6, seed: int = 0) -> AnnotatedVideo:
    """About a minute and a half with `steps` steps such as "chop the onion"; each step uses another food."""
    rng = generator("plain video", seed, number)
    chosen = [foods[i] for i in rng.permutation(len(foods))[:steps]]
    verbs = [str(rng.choice(VERBS)) for _ in chosen]
    length = 90.0 / max(len(chosen), 1)
    starts = np.arange(len(chosen)) * length + rng.uniform(1.0, 0.3 * length, len(chosen))
    spans = np.stack([starts, starts + rng.uniform(0.3, 0.6, len(chosen)) * length], axis=1)
    return AnnotatedVideo(
        id=f"plain{number}",
        duration=92.5,
        spans=spans,
        sentences=tuple(f"{verb} the {name}" for verb, name in zip(verbs, chosen, strict=True)),
        ingredients=tuple(chosen),
        split="validation" if number % 4 == 3 else "training",
        simulated=True,
    )


def plain_videos(count: int, foods: Sequence[str] = FOODS, steps: int = 6, seed: int = 0) -> list[AnnotatedVideo]:
    """The first `count` of them."""
    return [plain_video(number, foods, steps, seed) for number in range(count)]
