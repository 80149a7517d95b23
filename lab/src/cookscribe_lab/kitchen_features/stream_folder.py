"""A folder of simulated features: one track per video, and `kitchen.json`, which says how they were made.

The folder can be filled in several goes: videos that are done are skipped, changed annotations are filmed again, and
features made with other settings are never mixed in.
"""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import Field

from cookscribe.config import Config
from cookscribe.encoders.store import FeatureStore
from cookscribe.errors import BadValueError
from cookscribe.learning.datasets.records import AnnotatedVideo
from cookscribe.progress import track
from cookscribe_lab.kitchen_features.looks import VOCABULARY
from cookscribe_lab.kitchen_features.streams import find_encoder, render

RECORD = "kitchen.json"
SAVE_EVERY = 100  # videos; an interrupt loses the record of fewer, and they are simply filmed again


class StreamSettings(Config):
    """How the features of a folder were made.

    Attributes:
        encoder: the imitated encoder.
        seed: seed of the films.
        difficulty: scale of everything that hides the meaning.
        every: seconds between two rows.
        veil: how much of a food's look is hidden in all steps but the first.
        vocabulary: version of the visual vocabulary.
    """

    encoder: str
    seed: int
    difficulty: float = Field(ge=0.0)
    every: float = Field(gt=0.0)
    veil: float = Field(default=0.0, ge=0.0, le=1.0)
    vocabulary: str = VOCABULARY

    def film(self, video: AnnotatedVideo) -> str:
        """A name for what exactly will be filmed, to notice when annotations changed."""
        steps = [video.duration, video.spans.tolist(), list(video.sentences), list(video.ingredients)]
        return hashlib.sha256(json.dumps(steps).encode()).hexdigest()[:16]


class StreamRecord(Config):
    """Contents of `kitchen.json`: the label, the settings, and for each finished video what was filmed."""

    simulated: Literal[True] = True
    made_by: str = "cookscribe simulated kitchen"
    settings: StreamSettings
    films: dict[str, str] = Field(default_factory=dict)


@dataclass(frozen=True)
class Tally:
    """What a run did: videos written and skipped, and the bytes of all files of the videos asked for."""

    written: int
    skipped: int
    size: int


def settings_for(
    encoder: str, seed: int = 0, difficulty: float = 1.0, every: float | None = None, veil: float = 0.0
) -> StreamSettings:
    """Checked settings; `every` is the encoder's own when None."""
    every = find_encoder(encoder).every if every is None else every
    return StreamSettings.parse(
        {"encoder": encoder, "seed": seed, "difficulty": difficulty, "every": every, "veil": veil}, "kitchen features"
    )


def write_streams(videos: Iterable[AnnotatedVideo], folder: Path, settings: StreamSettings) -> Tally:
    """Write the track of every video that the folder does not hold yet.

    Raises:
        BadValueError: the folder holds features made with other settings, or features that the kitchen did not make.
    """
    videos = list(videos)
    store = FeatureStore(folder)
    films = _earlier_films(store, settings)
    written = skipped = 0
    try:
        for video in track(videos, "filming"):
            film = settings.film(video)
            if films.get(video.id) == film and video.id in store:
                skipped += 1
                continue
            how = (settings.encoder, settings.seed, settings.difficulty, settings.every, settings.veil)
            store.write(video.id, render(video, *how))
            films[video.id] = film
            written += 1
            if written % SAVE_EVERY == 0:
                StreamRecord(settings=settings, films=films).save(folder / RECORD)
    finally:
        if written:
            StreamRecord(settings=settings, films=films).save(folder / RECORD)
    return Tally(written, skipped, sum(store.path(video.id).stat().st_size for video in videos))


def expected_size(videos: Iterable[AnnotatedVideo], settings: StreamSettings) -> int:
    """Bytes the tracks will take, before they are made."""
    width = find_encoder(settings.encoder).width
    return sum(round(video.duration / settings.every) * (2 * width + 8) for video in videos)


def _earlier_films(store: FeatureStore, settings: StreamSettings) -> dict[str, str]:
    path = store.folder / RECORD
    if not path.is_file():
        if store.folder.is_dir() and store.ids():
            raise BadValueError(store.folder, f"holds features but no {RECORD}", "choose an empty folder")
        StreamRecord(settings=settings).save(path)  # first of all, so that an interrupted run can go on
        return {}
    record = StreamRecord.load(path)
    for name, value in settings.model_dump().items():
        earlier = getattr(record.settings, name)
        if earlier != value:
            advice = "choose another folder, or the settings of this one"
            raise BadValueError(store.folder, f"holds features made with {name} {earlier}, not {value}", advice)
    return dict(record.films)
