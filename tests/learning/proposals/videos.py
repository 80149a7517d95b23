"""Made-up videos whose features show when something happens: enough to learn from, small enough for a test."""

from pathlib import Path

import numpy as np

from cookscribe.encoders.store import FeatureStore
from cookscribe.learning.datasets.records import AnnotatedVideo
from cookscribe.seeds import generator
from cookscribe.track import FeatureTrack

DISHES = ("rice", "soup", "bread", "eggs", "beans", "fish")
VERBS = ("wash", "cut", "boil", "fry", "mix", "serve")


def made_up(count: int, folder: Path, *, width: int = 16, steps: tuple[int, int] = (3, 7), noise: float = 0.1):
    """`count` annotated videos and their feature store: every step has a vector of its own verb, pauses have none."""
    store = FeatureStore(folder)
    looks = generator("looks").normal(size=(len(VERBS), width))
    videos = []
    for number in range(count):
        draw = generator("video", number)
        events = int(draw.integers(*steps))
        cuts = np.sort(draw.choice(np.arange(4, 116), size=2 * events, replace=False)).reshape(-1, 2).astype(float)
        cuts[:, 1] = np.maximum(cuts[:, 1], cuts[:, 0] + 3)
        verbs = draw.integers(len(VERBS), size=events)
        times = np.arange(0.5, 120.0)
        values = draw.normal(size=(len(times), width)) * noise
        for (start, end), verb in zip(cuts, verbs, strict=True):
            values[(times >= start) & (times <= end)] += looks[verb]
        dish = DISHES[number % len(DISHES)]
        video_id = f"made{number:03d}"
        store.write(video_id, FeatureTrack(times, values.astype(np.float16), "made-up", 120.0, simulated=True))
        sentences = tuple(f"{VERBS[verb]} the {dish}" for verb in verbs)
        videos.append(AnnotatedVideo(video_id, 120.0, cuts, sentences, split="training", simulated=True))
    return videos, store
