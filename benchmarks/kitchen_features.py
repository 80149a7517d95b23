"""How long simulated features take, against writing as many plain random numbers into the same kind of store.

    python benchmarks/kitchen_features.py [--quick]

The baseline draws one normal number per value, rounds it to half precision and writes the files: what any simulation of
noisy features has to do at the least. The last line is a JSON object; "ratio" is our time over the baseline's.
"""

import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

from cookscribe.encoders.store import FeatureStore
from cookscribe.learning.datasets.records import AnnotatedVideo
from cookscribe.track import FeatureTrack
from cookscribe_lab.kitchen_features.stream_folder import settings_for, write_streams
from cookscribe_lab.kitchen_features.streams import find_encoder, render
from cookscribe_lab.kitchen_films.recipes import make_recipes
from frame import finish, options, timed


def plain_noise(videos: list[AnnotatedVideo], folder: Path, encoder: str, every: float) -> None:
    """The baseline."""
    rng, store = np.random.default_rng(0), FeatureStore(folder)
    width = find_encoder(encoder).width
    for video in videos:
        count = max(1, round(video.duration / every))
        times = (np.arange(count) + 0.5) * every
        values = rng.standard_normal((count, width), dtype=np.float32).astype(np.float16)
        store.write(video.id, FeatureTrack(times, values, encoder, video.duration, simulated=True))


def seconds(work: Callable[[Path], object], repeats: int) -> float:
    """The least processor time of several goes, each into a new folder."""
    times = []
    for _ in range(repeats):
        with tempfile.TemporaryDirectory() as folder:
            times.append(timed(lambda: work(Path(folder)))[0])
    return min(times)


def main() -> None:
    quick = options(__doc__, "fewer videos").quick
    videos = [recipe.annotated() for recipe in make_recipes(seed=0, count=20 if quick else 200)]
    hours = sum(video.duration for video in videos) / 3600
    figures: dict[str, float] = {"videos": len(videos), "hours": round(hours, 2)}
    for encoder, every in (("milnce-like", 1.0), ("tsn-like", 2.0)):
        settings = settings_for(encoder, every=every)
        render(videos[0], encoder, every=every)  # makes the frozen weights, once per program
        ours = seconds(lambda folder, s=settings: write_streams(videos, folder, s), 2)  # type: ignore[misc]
        baseline = seconds(lambda folder, e=encoder, t=every: plain_noise(videos, folder, e, t), 2)  # type: ignore[misc]
        figures[f"{encoder} seconds per video"] = round(ours / len(videos), 4)
        figures[f"{encoder} ratio"] = round(ours / baseline, 2)
        print(f"{encoder}: {ours:.2f} s for {hours:.2f} hours of video, plain noise {baseline:.2f} s")
    finish(benchmark="kitchen_features", baseline="plain noise", **figures)


if __name__ == "__main__":
    main()
