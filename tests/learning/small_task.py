"""A made-up regression task small enough to train in a blink; also run by torchrun as a script."""

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import torch
from torch import nn

from cookscribe.config import Config
from cookscribe.learning.config import TrainingConfig
from cookscribe.learning.loop import Term, seed_everything, shuffled, train
from cookscribe.learning.schedule import ScheduleConfig
from cookscribe.text.vocabulary import Vocabulary


class SmallConfig(Config):
    width: int = 8
    dropout: float = 0.2


class Poison(Exception):
    """Raised in the middle of an epoch to play a crash."""


class SmallTask:
    kind = "small"
    vocabulary: Vocabulary | None = Vocabulary.build(["salt and pepper"], min_count=1)
    score = "closeness"
    weights: Mapping[str, float] = {"error": 1.0, "sparse": 0.5}

    def __init__(self, seed: int = 0, dropout: float = 0.2, batch_size: int = 4) -> None:
        self.config = SmallConfig(dropout=dropout)
        self.seed, self.batch_size = seed, batch_size
        seed_everything("small", seed)
        self.model: nn.Module = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Dropout(dropout), nn.Linear(8, 1))
        self.model.register_parameter("unused", nn.Parameter(torch.ones(2, 2)))
        draw = torch.Generator().manual_seed(5)
        self.x = torch.randn(22, 3, generator=draw)
        self.y = self.x.sum(1, keepdim=True).tanh()
        self.crash_at: int | None = None
        self.calls = 0

    def batches(self, epoch: int) -> Sequence[Sequence[int]]:
        return shuffled(len(self.x), self.batch_size, self.seed, epoch)

    def losses(self, items: Sequence[int], epoch: int) -> Mapping[str, Term]:
        del epoch
        self.calls += 1
        if self.calls == self.crash_at:
            raise Poison
        index = list(items)
        error = (self.model(self.x[index]) - self.y[index]).square().sum()
        # Only some examples have the second loss, so that its divisor differs between the shares of a batch.
        some = [i for i in index if i % 3 == 0]
        sparse = self.model(self.x[some]).abs().sum() if some else torch.zeros(())
        return {"error": Term(error, len(index)), "sparse": Term(sparse, len(some))}

    def evaluate(self) -> Mapping[str, float]:
        torch.rand(7)  # an evaluation that draws random numbers must not disturb the training
        return {"closeness": -(self.model(self.x) - self.y).square().mean().item()}


def settings(**changes: object) -> TrainingConfig:
    values = {
        "epochs": 4,
        "batch_size": 4,
        "learning_rate": 0.02,
        "schedule": ScheduleConfig(warmup=1),
        "checkpoint_every": 2,
    }
    return TrainingConfig.parse(values | changes)


def as_on_two_machines(each: int, port: int, folder: Path) -> None:
    """What torchrun starts on two machines with `each` processes: forks, that one import of torch does for all."""
    children = []
    for rank in range(2 * each):
        if (child := os.fork()) == 0:
            os.environ |= {"RANK": str(rank), "WORLD_SIZE": str(2 * each), "LOCAL_RANK": str(rank % each)}
            os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
            train(SmallTask(dropout=0.0), settings(), folder, quiet=True)
            os._exit(0)
        children.append(child)
    sys.exit(max(os.waitpid(child, 0)[1] for child in children) and 1)


if __name__ == "__main__":
    if len(sys.argv) > 2:
        as_on_two_machines(int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[1]))
    train(SmallTask(dropout=0.0), settings(), Path(sys.argv[1]), quiet=True)
