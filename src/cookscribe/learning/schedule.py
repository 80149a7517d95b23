"""The course of the learning rate, as a factor of its peak: a pure function of how far the training has come."""

from __future__ import annotations

import math
from typing import Literal

from pydantic import Field

from cookscribe.config import Config


class ScheduleConfig(Config):
    """Which course, and its corners in epochs.

    Attributes:
        kind: "constant"; "warmup-linear" (up, then straight down to 0: the recipe model's paper); "warmup-cosine" (up,
            then half a cosine down to 0); "step-halving" (PDVC: halved every few epochs).
        warmup: epochs of the straight rise from 0; applies to every kind.
        halve_from: epoch (from 0) at which the rate is halved for the first time.
        halve_every: epochs between two halvings.
        floor: smallest factor after the warm-up.
    """

    kind: Literal["constant", "warmup-linear", "warmup-cosine", "step-halving"] = "warmup-linear"
    warmup: float = Field(default=5.0, ge=0)
    halve_from: float = Field(default=8.0, ge=0)
    halve_every: float = Field(default=3.0, gt=0)
    floor: float = Field(default=0.0, ge=0, le=1)


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
    left = 1.0 - (epoch - schedule.warmup) / max(epochs - schedule.warmup, 1 / steps_per_epoch)
    left = min(max(left, 0.0), 1.0)
    if schedule.kind == "warmup-linear":
        course = left
    elif schedule.kind == "warmup-cosine":
        course = 0.5 - 0.5 * math.cos(math.pi * left)
    elif schedule.kind == "step-halving" and epoch >= schedule.halve_from:
        course = 0.5 ** (1 + math.floor((epoch - schedule.halve_from) / schedule.halve_every))
    else:
        course = 1.0
    return max(course, schedule.floor)
