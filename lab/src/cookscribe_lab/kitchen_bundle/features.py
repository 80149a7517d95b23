"""Features of drawn kitchen videos, made without drawing whole videos: what the `kitchen` bundle learns from."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from cookscribe.encoders.effnet import EffNetEncoder
from cookscribe.encoders.store import FeatureStore
from cookscribe.errors import BadFileError
from cookscribe.progress import track
from cookscribe.track import FeatureTrack
from cookscribe.video import Size
from cookscribe_lab.kitchen_films.drawing.film import Picture
from cookscribe_lab.kitchen_films.drawing.glimpses import glimpses
from cookscribe_lab.kitchen_films.recipes import MadeUpRecipe

BATCH = 8
# Frames a second. Steps last 3 seconds and more, so one look a second sees each; twice as many films for the same work.
RATE = 1.0
# People draw films for a model small and films for themselves large; the model should read both.
HEIGHTS = (180, 180, 180, 360)


def picture_of(recipe: MadeUpRecipe) -> Picture:
    """The size in which a training video is seen."""
    return Picture(HEIGHTS[recipe.number % len(HEIGHTS)])


def drawn_track(recipe: MadeUpRecipe, encoder: EffNetEncoder, picture: Picture) -> FeatureTrack:
    """The track that `cookscribe encode` would make of the drawn video, up to compression; float16."""
    frames = list(glimpses(recipe, picture, encoder.rate, Size.square(encoder.side)))
    rows = [
        encoder.features(np.stack([frame.image for frame in frames[first : first + BATCH]]))
        for first in range(0, len(frames), BATCH)
    ]
    times = np.array([frame.time for frame in frames])
    values = np.concatenate(rows).astype(np.float16)
    return FeatureTrack(times, values, encoder.name, recipe.duration, simulated=True)


def write_drawn_features(recipes: Sequence[MadeUpRecipe], folder: Path) -> FeatureStore:
    """The track of every recipe that the folder does not hold yet; an interrupted run goes on."""
    store = FeatureStore(folder)
    missing = [recipe for recipe in recipes if not _done(store, recipe)]
    if missing:
        encoder = EffNetEncoder(rate=RATE)
        for recipe in track(missing, "drawing and watching"):
            store.write(recipe.id, drawn_track(recipe, encoder, picture_of(recipe)))
    return store


def _done(store: FeatureStore, recipe: MadeUpRecipe) -> bool:
    if recipe.id not in store:
        return False
    try:
        return abs(store.read(recipe.id).duration - recipe.duration) < 1e-6
    except BadFileError:
        return False  # damaged: make it again
