"""`TrainingConfig`: how a model is trained, whatever the model."""

from typing import Literal

from pydantic import Field

from cookscribe.config import Config
from cookscribe.learning.schedule import ScheduleConfig


class TrainingConfig(Config):
    """Choices of the training loop; the defaults are those of the recipe model's paper.

    Attributes:
        epochs: the most passes over the training part.
        batch_size: videos per optimiser step, over all processes together.
        learning_rate: the peak; `schedule` gives its course.
        optimizer: "adamw" keeps weight decay apart from the gradient, "adam" adds it to the gradient as PDVC does.
        weight_decay: not applied to biases, normalisation layers and other one-dimensional parameters.
        clip: largest norm of the whole gradient; 0 switches clipping off.
        ema: limit of the decay of the averaged weights, min(ema, (1 + step) / (10 + step)); 0 switches averaging off.
        evaluate_every: epochs between two looks at the development part (the last epoch always gets one).
        patience: stop after this many looks without a better score; 0 never stops early.
        seed: of everything random: initial weights, order of the videos, dropout.
        threads: CPU threads of torch per process; 0 leaves torch's own choice. Results repeat at equal threads only.
        precision: "bfloat16" runs the forward pass under autocast.
        device: where the model is trained.
        checkpoint_every: optimiser steps between two saved states within an epoch; every epoch's end is saved anyway.
    """

    epochs: int = Field(default=50, ge=1)
    batch_size: int = Field(default=16, ge=1)
    learning_rate: float = Field(default=1e-4, gt=0)
    optimizer: Literal["adamw", "adam"] = "adamw"
    weight_decay: float = Field(default=0.01, ge=0)
    schedule: ScheduleConfig = ScheduleConfig()
    clip: float = Field(default=1.0, ge=0)
    ema: float = Field(default=0.9999, ge=0, lt=1)
    evaluate_every: int = Field(default=1, ge=1)
    patience: int = Field(default=0, ge=0)
    seed: int = Field(default=0, ge=0)
    threads: int = Field(default=1, ge=0)
    precision: Literal["float32", "bfloat16"] = "float32"
    device: Literal["cpu", "cuda"] = "cpu"
    checkpoint_every: int = Field(default=100, ge=0)
