"""How sure a speech bundle may be: its confidences, measured on training videos that none of its models learnt from."""

from dataclasses import dataclass

import numpy as np

from cookscribe.bundle import BundleConfig
from cookscribe.evaluation.events import Events
from cookscribe.learning.calibration import calibrate, expected_calibration_error, right_steps
from cookscribe.learning.datasets.splits import development_split
from cookscribe.learning.narrated.run import Narrated
from cookscribe.pipelines.speech import SpeechPipeline
from cookscribe.progress import track

# People who describe the same cooking cut it otherwise and choose other words: two of them seldom agree by half.
ALIKE = 0.3


@dataclass(frozen=True)
class Calibration:
    """What was found on the videos kept apart.

    Attributes:
        line: slope and shift, see `BundleConfig.calibration`.
        right: share of the steps that are right; steps: how many there were.
        error: expected calibration error, each half of the videos calibrated by the other half.
    """

    line: tuple[float, float]
    right: float
    steps: int
    error: float


def measure(pipeline: SpeechPipeline, narrated: Narrated, development: float, *, listed: bool) -> Calibration:
    """Write the recipes of the development videos and see which steps are right.

    Args:
        narrated: the training videos; `development`: the share of them that the trainings kept apart.
        listed: give the ingredient lists.
    """
    _, held_out = development_split(narrated.videos, development)
    sure: list[float] = []
    right: list[bool] = []
    half: list[int] = []
    for number, key in enumerate(track(held_out, "calibrating")):
        video = narrated.videos[key]
        draft = pipeline.draft_of(narrated.transcripts[key], video.duration, video.ingredients if listed else ())
        events = Events(np.array([step.span for step in draft.steps]), tuple(step.sentence for step in draft.steps))
        sure += draft.confidences
        right += right_steps(events, video, ALIKE)
        half += [number % 2] * len(draft.steps)
    parts = [[i for i, side in enumerate(half) if side == this] for this in (0, 1)]
    crossed = np.zeros(len(sure))
    for this, other in (parts, parts[::-1]):
        line = calibrate([sure[i] for i in other], [right[i] for i in other])
        one = BundleConfig(name="half", calibration=line)
        crossed[this] = [one.calibrated(sure[i]) for i in this]
    error = expected_calibration_error(crossed.tolist(), right)
    return Calibration(calibrate(sure, right), float(np.mean(right)), len(right), error)
