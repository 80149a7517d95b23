"""The course of the learning rate, as a factor of its peak: a pure function of how far the training has come."""

import math
from typing import Literal

from pydantic import Field

from cookscribe.config import Config


class ScheduleConfig(Config):
    """Which course, and its corners in epochs.

    Attributes:
        kind: "constant"; "warmup-linear" (up, then straight down to 0: the recipe model's paper); "step-halving" (PDVC:
            halved every few epochs).
        warmup: epochs of the straight rise from 0; applies to every kind.
        halve_from: epoch (from 0) at which the rate is halved for the first time.
        halve_every: epochs between two halvings.
    """

    kind: Literal["constant", "warmup-linear", "step-halving"] = "warmup-linear"
    warmup: float = Field(default=5.0, ge=0)
    halve_from: float = Field(default=8.0, ge=0)
    halve_every: float = Field(default=3.0, gt=0)


def factor(schedule: ScheduleConfig, epoch: float, epochs: int, steps_per_epoch: int) -> float:
    """Factor of the peak learning rate, in [0, 1].

    Args:
        epoch: epochs done before this step, with fraction: 2.5 is the middle of the third epoch.
        epochs: epochs planned.
        steps_per_epoch: optimiser steps per epoch; the first step must not have a rate of 0, so the rise counts the
            step that is about to be taken.
    """
    if epoch < schedule.warmup:
        return min(1.0, (epoch + 1 / steps_per_epoch) / schedule.warmup)
    if schedule.kind == "warmup-linear":
        left = 1.0 - (epoch - schedule.warmup) / max(epochs - schedule.warmup, 1 / steps_per_epoch)
        return min(max(left, 0.0), 1.0)
    if schedule.kind == "step-halving" and epoch >= schedule.halve_from:
        return float(0.5 ** (1 + math.floor((epoch - schedule.halve_from) / schedule.halve_every)))
    return 1.0
