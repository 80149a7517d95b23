"""Feature streams: what a frozen encoder would make of the film of a recipe.

An imitated encoder is a fixed linear image of what is in view, plus what real features carry beside the meaning: a
style per video, one per shot, drifting and white noise. All of it is scaled by one number, `difficulty`.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.signal import lfilter

from cookscribe.errors import BadValueError
from cookscribe.learning.datasets.records import AnnotatedVideo
from cookscribe.seeds import generator
from cookscribe.track import FeatureTrack
from cookscribe_lab.kitchen_features.filming import Muddle, shoot
from cookscribe_lab.kitchen_features.looks import ACTION, SCENE, SIZE, THING, VOCABULARY

Array = NDArray[np.float32]

NUISANCE_RANK = 64
DRIFT_SECONDS = 4.0
SHOT_SECONDS = 7.5


@dataclass(frozen=True)
class Block:
    """A block of columns of an encoder, and how strongly it sees actions, things and scenes."""

    width: int
    actions: float
    things: float
    scenes: float


@dataclass(frozen=True)
class Encoder:
    """An imitated encoder. The strengths of the nuisances hold for difficulty 1; a look has a length of about 1.

    Attributes:
        name: as `FeatureTrack.encoder` will say.
        every: seconds between two rows.
        blocks: the blocks of its columns.
        instance, event, hidden: see `film.Muddle`.
        style, shot, drift, white: noise per video, per shot, over seconds and per row.
        scale: brings the rows to a standard deviation of about 1.
        rectified: rows end in a rectifier, as pooled image features do.
    """

    name: str
    every: float
    blocks: tuple[Block, ...]
    instance: float
    event: float
    hidden: float
    style: float
    shot: float
    drift: float
    white: float
    scale: float
    rectified: bool = False

    @property
    def width(self) -> int:
        """D, the size of a row."""
        return sum(block.width for block in self.blocks)


ENCODERS = {
    encoder.name: encoder
    for encoder in (
        Encoder(
            "milnce-like",
            every=1.0,
            blocks=(Block(512, actions=1.0, things=1.0, scenes=0.8),),
            instance=1.0,
            event=1.0,
            hidden=0.15,
            style=1.6,
            shot=0.8,
            drift=1.0,
            white=2.0,
            scale=0.3,
        ),
        Encoder(
            "tsn-like",
            every=0.5,
            # ResNet sees things and rooms, the flow network movements; neither was taught cooking.
            blocks=(
                Block(2048, actions=0.35, things=0.8, scenes=1.0),
                Block(1024, actions=0.7, things=0.15, scenes=0.6),
            ),
            instance=1.6,
            event=1.6,
            hidden=0.25,
            style=3.0,
            shot=1.5,
            drift=1.6,
            white=3.0,
            scale=0.3,
            rectified=True,
        ),
    )
}


def find_encoder(name: str) -> Encoder:
    """The imitated encoder of this name."""
    if name not in ENCODERS:
        raise BadValueError("--encoder", f"the kitchen imitates {' and '.join(ENCODERS)}, not {name!r}")
    return ENCODERS[name]


def render(
    video: AnnotatedVideo,
    encoder: str,
    seed: int = 0,
    difficulty: float = 1.0,
    every: float | None = None,
    veil: float = 0.0,
) -> FeatureTrack:
    """The feature track of a video whose steps happen as its annotation says.

    Args:
        video: steps and, if known, ingredients.
        encoder: "milnce-like" or "tsn-like".
        seed: another seed films the same recipe anew; the vocabulary and the encoders stay.
        difficulty: scales everything that hides the meaning; 0 is a textbook, 1 the default.
        every: seconds between two rows; the encoder's own when None.
        veil: from 0 to 1, how much of a food's own look is hidden in all steps but the first. At 1 all foods look the
            same there: what a step is about can only be known from the step before, where they were laid out.

    Returns:
        float16 rows, marked as simulated.
    """
    kind = find_encoder(encoder)
    every = kind.every if every is None else every
    if not (np.isfinite(difficulty) and 0.0 <= difficulty <= 100.0):
        raise BadValueError("--difficulty", f"must lie between 0 and 100, got {difficulty}")
    if not 0.0 <= veil <= 1.0:
        raise BadValueError("--veil", f"must lie between 0 and 1, got {veil}")
    if not (np.isfinite(every) and every > 0.0):
        raise BadValueError("--every", f"must be more than 0 seconds, got {every}")
    count = max(1, round(video.duration / every))
    times = (np.arange(count) + 0.5) * (video.duration / count)
    muddle = Muddle(
        instance=difficulty * kind.instance,
        event=difficulty * kind.event,
        hidden=min(0.9, difficulty * kind.hidden),
        distraction=min(1.0, difficulty),
    )
    film = shoot(video, times, generator("kitchen film", seed, video.id), muddle, veil)
    rng = generator("kitchen encoder", seed, video.id, kind.name)
    meaning, nuisance = frozen_weights(kind.name)
    gain = kind.scale * float(np.exp(0.2 * min(1.0, difficulty) * rng.standard_normal()))
    values = (gain * film.meaning()) @ meaning
    noise = difficulty * kind.scale
    values += (noise * _atmosphere(kind, times, video.duration, rng)) @ nuisance
    values += (noise * kind.white) * rng.standard_normal(values.shape, dtype=np.float32)
    if kind.rectified:
        np.maximum(values, 0.0, out=values)
    return FeatureTrack(times, values.astype(np.float16), kind.name, video.duration, simulated=True)


@lru_cache(maxsize=4)
def frozen_weights(name: str) -> tuple[Array, Array]:
    """The encoder's weights: (SIZE, D) for what is in view, (NUISANCE_RANK, D) directions of style, shots and drift."""
    encoder = ENCODERS[name]
    rng = generator(VOCABULARY, "encoder", name)
    columns = []
    for block in encoder.blocks:
        weights = rng.standard_normal((SIZE, block.width), dtype=np.float32)
        weights[ACTION] *= block.actions
        weights[THING] *= block.things
        weights[SCENE] *= block.scenes
        columns.append(weights)
    meaning = np.concatenate(columns, axis=1)
    # Nuisance has a few strong directions and many weak ones, and part of it looks like meaning.
    spectrum = 1.0 / np.sqrt(1.0 + np.arange(NUISANCE_RANK, dtype=np.float32) / 4.0)
    spectrum /= np.linalg.norm(spectrum)
    like_meaning = rng.standard_normal((NUISANCE_RANK, SIZE), dtype=np.float32) / np.sqrt(SIZE) @ meaning
    free = rng.standard_normal((NUISANCE_RANK, encoder.width), dtype=np.float32)
    return meaning, (0.7 * spectrum)[:, None] * (like_meaning + free)


def _atmosphere(kind: Encoder, times: NDArray[np.floating], duration: float, rng: np.random.Generator) -> Array:
    """(T, NUISANCE_RANK) what has nothing to do with cooking: the kitchen's light, the shot, a moving camera."""
    shot_count = max(8, int(3 * duration / SHOT_SECONDS))
    shots = np.searchsorted(rng.gamma(1.5, SHOT_SECONDS / 1.5, shot_count).cumsum(), times)
    style = kind.style * rng.standard_normal(NUISANCE_RANK, dtype=np.float32)
    per_shot = kind.shot * rng.standard_normal((shot_count + 1, NUISANCE_RANK), dtype=np.float32)
    keep = float(np.exp(-(times[1] - times[0]) / DRIFT_SECONDS)) if len(times) > 1 else 0.0
    fresh = rng.standard_normal((len(times), NUISANCE_RANK), dtype=np.float32)
    fresh[1:] *= np.sqrt(1.0 - keep**2)
    drift: Array = lfilter([1.0], [1.0, -keep], fresh, axis=0).astype(np.float32)
    total: Array = style + per_shot[shots] + kind.drift * drift
    return total
