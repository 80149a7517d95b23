"""How fast the simulated kitchen is, on one thread and in processor time, each part against a baseline of the same run.

    python benchmarks/kitchen.py [--quick]

- `features`: seconds a video that simulated features take, against drawing as many plain random numbers and writing
  them into the same kind of store, which any simulation of noisy features has to do at the least;
- `drawing`: films drawn and encoded, as a multiple of real time, and against a painter that keeps no sprite but paints
  every piece of food, hand and wall anew for each frame;
- `glimpses`: watching drawn videos without making them, against drawing the mp4 and encoding it, as a user would; and
  how far the features are from the real ones: the cosine between rows of the two tracks after the mean row is taken
  off, beside that of rows one second apart.

The last line is one JSON object.
"""

import gc
import tempfile
from functools import _lru_cache_wrapper, partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cookscribe.encoders.effnet import EffNetEncoder
from cookscribe.encoders.store import FeatureStore
from cookscribe.learning.datasets.records import AnnotatedVideo
from cookscribe.track import FeatureTrack
from cookscribe.video import VideoFile
from cookscribe_lab.kitchen_bundle.features import RATE, drawn_track
from cookscribe_lab.kitchen_features.stream_folder import settings_for, write_streams
from cookscribe_lab.kitchen_features.streams import find_encoder, render
from cookscribe_lab.kitchen_films.drawing.film import Picture, draw_video
from cookscribe_lab.kitchen_films.drawing.scene import PAINTERS, Set
from cookscribe_lab.kitchen_films.drawing.screenplay import FPS, Film
from cookscribe_lab.kitchen_films.recipes import MadeUpRecipe, make_recipe, make_recipes
from frame import finish, options, timed


def plain_noise(videos: list[AnnotatedVideo], folder: Path, encoder: str, every: float) -> None:
    """The least that a simulation of noisy features has to do."""
    rng, store = np.random.default_rng(0), FeatureStore(folder)
    width = find_encoder(encoder).width
    for video in videos:
        times = (np.arange(max(1, round(video.duration / every))) + 0.5) * every
        values = rng.standard_normal((len(times), width), dtype=np.float32).astype(np.float16)
        store.write(video.id, FeatureTrack(times, values, encoder, video.duration, simulated=True))


def features(folder: Path, count: int) -> dict[str, float]:
    """Seconds a video, and how many times those of plain noise they are."""
    videos = [recipe.annotated() for recipe in make_recipes(seed=0, count=count)]
    figures: dict[str, float] = {"videos": count}
    for encoder, every in (("milnce-like", 1.0), ("tsn-like", 2.0)):
        settings = settings_for(encoder, every=every)
        render(videos[0], encoder, every=every)  # makes the frozen weights, once per program
        ours, _ = timed(partial(write_streams, videos, folder / encoder, settings))
        noise, _ = timed(partial(plain_noise, videos, folder / f"noise-{encoder}", encoder, every))
        figures |= {f"{encoder} seconds": round(ours / count, 4), f"{encoder} ratio": round(ours / noise, 2)}
    return figures


def forget_sprites() -> None:
    """Empty every cache of the painters."""
    for thing in gc.get_objects():
        if isinstance(thing, _lru_cache_wrapper) and "kitchen_films.drawing" in thing.__module__:
            thing.cache_clear()


def seconds_a_frame_without_sprites(recipe: MadeUpRecipe, frames: int) -> float:
    """When nothing is kept; frames from the middle of the acts, in turn."""
    film, spent = Film(recipe, 320, 180), 0.0
    acting = [(scene.moment, scene.shots[0].start) for scene in film.scenes if scene.moment is not None]

    def paint(number: int) -> None:
        moment, framing = acting[number % len(acting)]
        film.lens.take(PAINTERS[moment.act.action](Set(moment), 1.0 + number / FPS, 0.5), framing)

    for number in range(frames):
        forget_sprites()
        spent += timed(partial(paint, number))[0]
    return spent / frames


def drawing(folder: Path, count: int) -> dict[str, float]:
    """Films of the size that the bundle is judged on."""
    recipes = list(make_recipes(0, count, tempo=3.5))
    forget_sprites()
    took, _ = timed(lambda: [draw_video(recipe, folder / f"{recipe.id}.mp4", Picture()) for recipe in recipes])
    length = sum(recipe.duration for recipe in recipes)
    anew = seconds_a_frame_without_sprites(recipes[0], 5 * count)
    return {
        "film seconds": round(length, 1),
        "times real time": round(length / took, 2),
        "ratio to painting without sprites": round(anew / (took / (length * FPS)), 1),
    }


def cosines(one: NDArray[np.floating], other: NDArray[np.floating], mean: NDArray[np.floating]) -> list[float]:
    """Cosine of each pair of rows around the mean row."""
    a, b = one - mean, other - mean
    return [float(x @ y / (np.linalg.norm(x) * np.linalg.norm(y))) for x, y in zip(a, b, strict=True)]


def glimpses(folder: Path, count: int) -> dict[str, float]:
    """Watch some videos both ways."""
    encoder = EffNetEncoder(rate=RATE)
    alike: list[float] = []
    neighbours: list[float] = []
    plain = glimpsed = 0.0
    for number in range(count):
        recipe, film = make_recipe(5000, number, tempo=3.5), folder / "film.mp4"
        drawn, track = timed(lambda: encoder.encode(VideoFile(draw_video(recipe, film, Picture()))))  # noqa: B023
        seen_in, seen = timed(partial(drawn_track, recipe, encoder, Picture()))
        plain, glimpsed = plain + drawn, glimpsed + seen_in
        mean = track.values.mean(axis=0)
        alike += cosines(seen.values.astype(np.float32), track.values, mean)
        neighbours += cosines(track.values[1:], track.values[:-1], mean)
    return {
        "speedup": round(plain / glimpsed, 2),
        "likeness": round(float(np.mean(alike)), 3),
        "likeness of neighbours": round(float(np.mean(neighbours)), 3),
    }


def main() -> None:
    quick = options(__doc__, "20 videos for features, 2 to draw, 1 to watch; else 200, 12 and 4").quick
    with tempfile.TemporaryDirectory() as name:
        parts = {
            "features": features(Path(name), 20 if quick else 200),
            "drawing": drawing(Path(name), 2 if quick else 12),
            "glimpses": glimpses(Path(name), 1 if quick else 4),
        }
    for part, figures in parts.items():
        print(part, figures)
    finish(benchmark="kitchen", simulated=True, **parts)


if __name__ == "__main__":
    main()
