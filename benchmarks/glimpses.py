"""Watching drawn videos without making them: how much it saves, and how far the features are from the real ones.

    python benchmarks/glimpses.py [--quick]

Baseline: draw the mp4, then encode it, as a user would. Both on one thread, in processor time, with the same encoder.
Likeness is the cosine between rows of the two tracks after the mean row is taken off, beside that of rows one second
apart. The last line is one JSON object.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from cookscribe.encoders.effnet import EffNetEncoder
from cookscribe.video import VideoFile
from cookscribe_lab.kitchen_bundle.features import RATE, drawn_track
from cookscribe_lab.kitchen_films.drawing.film import Picture, draw_video
from cookscribe_lab.kitchen_films.recipes import make_recipe


def cosines(one: NDArray[np.floating], other: NDArray[np.floating], mean: NDArray[np.floating]) -> list[float]:
    """Cosine of each pair of rows around the mean row."""
    a, b = one - mean, other - mean
    return [float(x @ y / (np.linalg.norm(x) * np.linalg.norm(y))) for x, y in zip(a, b, strict=True)]


def main() -> None:
    """Watch some videos both ways."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="one video instead of four")
    count = 1 if parser.parse_args().quick else 4
    torch.set_num_threads(1)
    encoder = EffNetEncoder(rate=RATE)
    alike: list[float] = []
    neighbours: list[float] = []
    plain = glimpsed = 0.0
    with tempfile.TemporaryDirectory() as folder:
        for number in range(count):
            recipe = make_recipe(5000, number, tempo=3.5)
            began = time.process_time()
            real = encoder.encode(VideoFile(draw_video(recipe, Path(folder) / "film.mp4", Picture()))).values
            middle = time.process_time()
            seen = drawn_track(recipe, encoder, Picture()).values.astype(np.float32)
            plain, glimpsed = plain + middle - began, glimpsed + time.process_time() - middle
            mean = real.mean(axis=0)
            alike += cosines(seen, real, mean)
            neighbours += cosines(real[1:], real[:-1], mean)
    figures = {
        "speedup": round(plain / glimpsed, 2),
        "likeness": round(float(np.mean(alike)), 3),
        "likeness_of_neighbours": round(float(np.mean(neighbours)), 3),
        "videos": count,
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
