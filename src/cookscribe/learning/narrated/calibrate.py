"""How sure a speech bundle may be: its confidences, measured on training videos that none of its models learnt from."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cookscribe.bundle import BundleConfig
from cookscribe.evaluation.events import Events
from cookscribe.learning.calibration import (
    calibrate,
    expected_calibration_error,
    logistic_regression,
    ranked_rightly,
    right_steps,
)
from cookscribe.learning.datasets.splits import development_split
from cookscribe.learning.narrated.run import Narrated
from cookscribe.pipelines.speech import SpeechPipeline
from cookscribe.pipelines.step_signs import LEARNT, SIGNS, StepConfidence, step_signs
from cookscribe.progress import track

# People who describe the same cooking cut it otherwise and choose other words: two of them seldom agree by half.
ALIKE = 0.3


@dataclass(frozen=True, eq=False)
class Judged:
    """The N steps of the videos kept apart.

    Attributes:
        signs: (N, D) of each step, see `step_signs`; right: (N,) whether it is right; film: (N,) number of its video.
    """

    signs: NDArray[np.float64]
    right: NDArray[np.bool_]
    film: NDArray[np.int64]

    def half(self, side: int) -> "Judged":
        """The steps of every other video: of the first, the third, ... (0) or of the others (1)."""
        chosen = self.film % 2 == side
        return Judged(self.signs[chosen], self.right[chosen], self.film[chosen])


@dataclass(frozen=True)
class Calibration:
    """What was found on the videos kept apart. Each half of them is judged by what the other half taught.

    Attributes:
        line: slope and shift, see `BundleConfig.calibration`; of all videos.
        right: share of the steps that are right; steps: how many there were.
        error: expected calibration error; ranked: how often a right step is surer than a wrong one.
        films: mean confidence of each video.
    """

    line: tuple[float, float]
    right: float
    steps: int
    error: float
    ranked: float
    films: tuple[float, ...]


def judge(pipeline: SpeechPipeline, narrated: Narrated, development: float, *, listed: bool) -> Judged:
    """Write the recipes of the development videos and see which steps are right.

    Args:
        narrated: the training videos; `development`: the share of them that the trainings kept apart.
        listed: give the ingredient lists.
    """
    _, held_out = development_split(narrated.videos, development)
    signs: list[NDArray[np.float64]] = [np.empty((0, len(SIGNS)))]
    right: list[bool] = []
    film: list[int] = []
    for number, key in enumerate(track(held_out, "calibrating")):
        video, transcript = narrated.videos[key], narrated.transcripts[key]
        draft = pipeline.draft_of(transcript, video.duration, video.ingredients if listed else ())
        events = Events(np.array([step.span for step in draft.steps]), tuple(step.sentence for step in draft.steps))
        assert draft.candidates is not None
        heard = pipeline.reader.space.heard(transcript)
        signs.append(step_signs(draft.steps, draft.candidates, heard, pipeline.reader))
        right += right_steps(events, video, ALIKE)
        film += [number] * len(draft.steps)
    return Judged(np.concatenate(signs), np.array(right, dtype=bool), np.array(film, dtype=np.int64))


def fit_confidence(judged: Iterable[Judged]) -> StepConfidence:
    """The logistic regression from signs to being right."""
    parts = list(judged)
    signs, right = (np.concatenate(column) for column in zip(*((one.signs, one.right) for one in parts), strict=True))
    learnt = len(LEARNT)
    *weights, shift = logistic_regression(signs[:, :learnt], right.tolist(), np.zeros(learnt + 1), 1.0)
    return StepConfidence(weights=tuple(weights), shift=shift)


def measure(judged: Mapping[bool, Judged]) -> dict[bool, Calibration]:
    """Calibrate the steps that were written with the list and without it."""
    whole = fit_confidence(judged.values())
    halves = [fit_confidence(one.half(1 - side) for one in judged.values()) for side in (0, 1)]
    found = {}
    for listed, one in judged.items():
        crossed = np.zeros(len(one.right))
        for side, confidence in enumerate(halves):
            this, other = one.half(side), one.half(1 - side)
            config = BundleConfig(name="half", calibration=calibrate(confidence(other.signs), other.right.tolist()))
            crossed[one.film % 2 == side] = [config.calibrated(value) for value in confidence(this.signs)]
        right = one.right.tolist()
        found[listed] = Calibration(
            line=calibrate(whole(one.signs), right),
            right=float(np.mean(right)),
            steps=len(right),
            error=expected_calibration_error(crossed.tolist(), right),
            ranked=ranked_rightly(crossed.tolist(), right),
            films=tuple(float(crossed[one.film == number].mean()) for number in np.unique(one.film)),
        )
    return found
