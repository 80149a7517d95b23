"""Watching drawn videos without making them: how much it saves, and how far the features are from the real ones.

    python benchmarks/glimpses.py [--quick]

Baseline: draw the mp4, then encode it, as a user would. Both on one thread, in processor time, with the same encoder.
Likeness is the cosine between rows of the two tracks after the mean row is taken off, beside that of rows one second
apart. The last line is one JSON object.
"""

import tempfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cookscribe.encoders.effnet import EffNetEncoder
from cookscribe.video import VideoFile
from cookscribe_lab.kitchen_bundle.features import RATE, drawn_track
from cookscribe_lab.kitchen_films.drawing.film import Picture, draw_video
from cookscribe_lab.kitchen_films.recipes import make_recipe
from frame import finish, options, timed


def cosines(one: NDArray[np.floating], other: NDArray[np.floating], mean: NDArray[np.floating]) -> list[float]:
    """Cosine of each pair of rows around the mean row."""
    a, b = one - mean, other - mean
    return [float(x @ y / (np.linalg.norm(x) * np.linalg.norm(y))) for x, y in zip(a, b, strict=True)]


def main() -> None:
    """Watch some videos both ways."""
    count = 1 if options(__doc__, "one video instead of four").quick else 4
    encoder = EffNetEncoder(rate=RATE)
    alike: list[float] = []
    neighbours: list[float] = []
    plain = glimpsed = 0.0
    with tempfile.TemporaryDirectory() as folder:
        for number in range(count):
            recipe = make_recipe(5000, number, tempo=3.5)
            film = Path(folder) / "film.mp4"
            drawn, track = timed(lambda: encoder.encode(VideoFile(draw_video(recipe, film, Picture()))))  # noqa: B023
            seen_in, glimpses = timed(lambda: drawn_track(recipe, encoder, Picture()))  # noqa: B023
            plain, glimpsed = plain + drawn, glimpsed + seen_in
            real, seen = track.values, glimpses.values.astype(np.float32)
            mean = real.mean(axis=0)
            alike += cosines(seen, real, mean)
            neighbours += cosines(real[1:], real[:-1], mean)
    finish(
        speedup=round(plain / glimpsed, 2),
        likeness=round(float(np.mean(alike)), 3),
        likeness_of_neighbours=round(float(np.mean(neighbours)), 3),
        videos=count,
    )


if __name__ == "__main__":
    main()
