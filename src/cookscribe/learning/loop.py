"""The training loop both trainable models share.

A model joins by a `Task`: what a batch is, which losses it has, and the score on the development part. The loop owns
optimiser, schedule, averaging, checkpoints, early stopping and the exchange between processes.

It repeats exactly: the order of an epoch comes from seed and epoch, and all randomness inside a step from seed, step
and process. No generator state has to survive a crash; a training that was killed in the middle of an epoch ends with
the same weights as one that was not.
"""

import math
import platform
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
import torch
from torch import Tensor, nn

from cookscribe import __version__
from cookscribe.config import Config
from cookscribe.errors import BadValueError, CookscribeError
from cookscribe.files import write_json
from cookscribe.learning.config import TrainingConfig
from cookscribe.learning.distributed import Processes, join
from cookscribe.learning.ema import Average
from cookscribe.learning.interrupt import Interrupt
from cookscribe.learning.schedule import factor
from cookscribe.learning.state import (
    Counters,
    fingerprint,
    make_optimizer,
    read_state,
    write_description,
    write_state,
    write_weights,
)
from cookscribe.model_folder import STATE, WEIGHTS, put_weights, read_tensors
from cookscribe.progress import track
from cookscribe.seeds import derived_seed, generator
from cookscribe.text.vocabulary import Vocabulary

HISTORY = "history.json"


class NonFiniteLossError(CookscribeError):
    """A loss or gradient stopped being a number."""


class Term(NamedTuple):
    """One loss: a sum and what it is to be divided by.

    The loop divides, after it added both over the processes, so that the loss of a global batch does not depend on how
    many processes share it. A divisor of 0 (nothing to learn from in this batch) makes the loss 0.
    """

    total: Tensor
    divisor: float


class Task(Protocol):
    """What the loop must know about a model and its data. Batches are global: the loop gives each process its share."""

    @property
    def kind(self) -> str:
        """Kind of model folder, e.g. "proposals"."""

    @property
    def model(self) -> nn.Module:
        """What is trained."""

    @property
    def config(self) -> Config:
        """The model's configuration, kept in its folder."""

    @property
    def vocabulary(self) -> Vocabulary | None:
        """The words the model may write, kept in its folder."""

    @property
    def weights(self) -> Mapping[str, float]:
        """Weight of every loss by name. A loss with weight 0 is reported but not learnt."""

    @property
    def score(self) -> str:
        """Which figure of `evaluate` is maximised."""

    def batches(self, epoch: int) -> Sequence[Sequence[int]]:
        """Indices of the training examples, batch by batch; the same for the same epoch (see `shuffled`)."""

    def losses(self, items: Sequence[int], epoch: int) -> Mapping[str, Term]:
        """The losses of these training examples, computed on the model's device."""

    def evaluate(self) -> Mapping[str, float]:
        """Figures on the development part, for the model as it is (the loop has put in the averaged weights)."""


def shuffled(count: int, batch_size: int, seed: int, epoch: int) -> list[list[int]]:
    """Batches of the numbers below `count` in an order that seed and epoch decide; the last may be smaller."""
    order = generator("order", seed, epoch).permutation(count).tolist()
    return [order[i : i + batch_size] for i in range(0, count, batch_size)]


def seed_everything(*parts: str | int) -> None:
    """Seed torch for this combination of names and numbers, e.g. before building a model."""
    torch.manual_seed(derived_seed(*parts))


@dataclass(frozen=True)
class Epoch:
    """One row of the history. `losses` are means over the steps; `scores` is empty where nothing was evaluated."""

    epoch: int
    step: int
    learning_rate: float
    losses: dict[str, float]
    gradient: float
    scores: dict[str, float]
    seconds: float


@dataclass(frozen=True)
class History:
    """What a training did. `best_epoch` and `best_score` belong to the weights in the folder."""

    epochs: tuple[Epoch, ...]
    best_epoch: int
    best_score: float
    stopped: str
    made: dict[str, Any]
    """Versions, seed, threads, and the fingerprint of the last (not averaged) weights."""


def train(task: Task, config: TrainingConfig, folder: Path, *, quiet: bool = False) -> History:
    """Train until the epochs or the patience run out, and keep the best averaged weights in `folder`.

    Writes the model folder, `history.json`, and `state.safetensors`, from which the same call goes on after an
    interrupt; a finished training is returned at once. A folder that holds a training with other choices is refused.
    Afterwards `task.model` has the kept weights.

    Raises:
        NonFiniteLossError: a loss or the gradient is not finite; the last saved state stays.
        BadValueError: the folder belongs to another training.
    """
    if config.threads:
        torch.set_num_threads(config.threads)
    return _Run(task, config, Path(folder), join(config.device), quiet).go()


class _Run:
    """The moving parts of one training."""

    def __init__(self, task: Task, config: TrainingConfig, folder: Path, processes: Processes, quiet: bool) -> None:
        self.task, self.config, self.folder, self.processes = task, config, folder, processes
        self.quiet = quiet or not processes.first
        self.names = sorted(task.weights)
        self.model = task.model.to(processes.device)
        self.parameters = [value for value in self.model.parameters() if value.requires_grad]
        self.optimizer = make_optimizer(self.model, config)
        self.average = Average(self.model, config.ema)
        self.made = {
            "cookscribe": __version__,
            "torch": torch.__version__,
            "numpy": np.__version__,
            "python": platform.python_version(),
            "seed": config.seed,
            "threads": torch.get_num_threads(),
            "processes": processes.size,
            "parameters": sum(value.numel() for value in self.parameters),
        }
        # What must be equal for a resumed training; how often it saves does not matter, how many share a batch neither.
        self.choices = {
            "kind": task.kind,
            "model": task.config.model_dump(mode="json"),
            "training": config.model_dump(mode="json", exclude={"checkpoint_every"}),
            "weights": dict(task.weights),
        }
        self.counters = Counters()

    def go(self) -> History:
        self._start()
        with Interrupt() as interrupt:
            while not self.counters.stopped:
                self._epoch(interrupt)
        history = self._history()
        path = self.folder / WEIGHTS
        self.processes.tell("the first process has written the weights")
        put_weights(self.model, read_tensors(path)[0], path)
        self.model.eval()
        return history

    def _start(self) -> None:
        path = self.folder / STATE
        if path.is_file():
            self.counters = read_state(path, self.choices, self.model, self.optimizer, self.average)
        elif self.processes.first:
            if (self.folder / WEIGHTS).exists():
                raise BadValueError(self.folder, "already holds a model", "choose another folder or remove it")
            self._describe()

    def _describe(self) -> None:
        config, made = self.task.config.model_dump(mode="json"), dict(self.made)
        made["training"] = self.config.model_dump(mode="json")
        write_description(self.folder, self.task.kind, config, self.task.vocabulary, made)

    def _epoch(self, interrupt: Interrupt) -> None:
        counters = self.counters
        batches = self.task.batches(counters.epoch)
        if not batches:
            raise BadValueError("training", "there is nothing to train on", "check the split and the features")
        self.model.train()
        began = time.monotonic() - counters.seconds
        for position in self._progress(counters.position, len(batches)):
            self._step(batches[position], counters.epoch + position / len(batches), len(batches))
            counters.position = position + 1
            counters.seconds = time.monotonic() - began
            due = self.config.checkpoint_every and counters.step % self.config.checkpoint_every == 0
            if (due and counters.position < len(batches)) or interrupt.asked:
                self._save()
            interrupt.obey()
        self._finish_epoch(len(batches), began)

    def _progress(self, start: int, stop: int) -> Iterator[int]:
        positions = range(start, stop)
        return iter(positions) if self.quiet else track(positions, f"epoch {self.counters.epoch + 1}")

    def _step(self, items: Sequence[int], epoch: float, steps: int) -> None:
        counters, config = self.counters, self.config
        rate = config.learning_rate * factor(config.schedule, epoch, config.epochs, steps)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        seed_everything("step", config.seed, counters.step, self.processes.rank)
        self.optimizer.zero_grad(set_to_none=True)
        loss, values = self._loss(self.processes.share(items))
        if loss is not None and loss.requires_grad:
            torch.autograd.backward(loss)
        self.processes.add_gradients(self.parameters)
        norm = torch.nn.utils.clip_grad_norm_(self.parameters, config.clip or math.inf).item()
        where = f"epoch {counters.epoch + 1}, step {counters.step + 1}"
        for name, value in {**values, "gradient": norm}.items():
            if not math.isfinite(value):
                raise NonFiniteLossError(where, f"{name} is {value}", "lower the learning rate or the clip")
        self.optimizer.step()
        counters.step += 1
        self.average.update(counters.step)
        counters.rate = rate
        counters.gradient += norm
        for name, value in values.items():
            counters.losses[name] = counters.losses.get(name, 0.0) + value

    def _loss(self, items: Sequence[int]) -> tuple[Tensor | None, dict[str, float]]:
        """This process's part of the weighted loss, and the values of all terms over the global batch."""
        device = self.processes.device
        half = torch.autocast(device.type, torch.bfloat16) if self.config.precision == "bfloat16" else nullcontext()
        with half:
            terms = dict(self.task.losses(items, self.counters.epoch)) if len(items) else {}
        if unknown := terms.keys() - self.task.weights.keys():
            raise BadValueError("training", f"no weight for the losses {sorted(unknown)}")
        empty = Term(torch.zeros((), device=device), 0.0)
        ordered = [terms.get(name, empty) for name in self.names]
        counts = self.processes.add(torch.tensor([float(term.divisor) for term in ordered], device=device)).clamp(min=0)
        divisors = torch.where(counts > 0, counts, torch.ones_like(counts))
        totals = torch.stack([term.total.float() for term in ordered])
        whole = self.processes.add(totals.detach()) / divisors
        values = dict(zip(self.names, whole.tolist(), strict=True))
        values["loss"] = sum(self.task.weights[name] * values[name] for name in self.names)
        weights = torch.tensor([float(self.task.weights[name]) for name in self.names], device=device)
        return (totals / divisors * weights).sum() if terms else None, values

    def _finish_epoch(self, steps: int, began: float) -> None:
        counters, config = self.counters, self.config
        last = counters.epoch + 1 >= config.epochs
        scores: dict[str, float] = {}
        if last or (counters.epoch + 1) % config.evaluate_every == 0:
            scores = self._evaluate()
            if counters.best is None or scores[self.task.score] > counters.best:
                counters.best, counters.best_epoch, counters.waited = scores[self.task.score], counters.epoch + 1, 0
                if self.processes.first:
                    with self.average.applied() if config.ema else nullcontext():
                        write_weights(self.folder, self.model)
            else:
                counters.waited += 1
        means = {name: value / steps for name, value in counters.losses.items()}
        row = Epoch(
            epoch=counters.epoch + 1,
            step=counters.step,
            learning_rate=counters.rate,
            losses=means,
            gradient=counters.gradient / steps,
            scores=scores,
            seconds=round(time.monotonic() - began, 3),
        )
        counters.rows.append(asdict(row))
        counters.next_epoch()
        if last:
            counters.stopped = "all epochs done"
        elif config.patience and counters.waited >= config.patience:
            counters.stopped = f"no better {self.task.score} in {counters.waited} evaluations"
        self._save()
        if not self.quiet:
            shown = " ".join(f"{name} {value:.4g}" for name, value in {"loss": means["loss"], **scores}.items())
            print(f"epoch {row.epoch}: {shown} ({row.seconds:.0f} s)", file=sys.stderr, flush=True)

    def _evaluate(self) -> dict[str, float]:
        scores: dict[str, float] | None = None
        if self.processes.first:
            self.model.eval()
            with self.average.applied() if self.config.ema else nullcontext(), torch.no_grad():
                scores = {name: float(value) for name, value in self.task.evaluate().items()}
            self.model.train()
            if not math.isfinite(scores.get(self.task.score, math.nan)):
                raise NonFiniteLossError(f"epoch {self.counters.epoch + 1}", f"{self.task.score} is not finite")
        everywhere: dict[str, float] = self.processes.tell(scores)
        return everywhere

    def _save(self) -> None:
        if self.processes.first:
            write_json(self.folder / HISTORY, asdict(self._history()))
            write_state(self.folder / STATE, self.choices, self.counters, self.model, self.optimizer, self.average)

    def _history(self) -> History:
        counters = self.counters
        rows = tuple(Epoch(**row) for row in counters.rows)
        best = counters.best if counters.best is not None else 0.0
        made = dict(self.made)
        if counters.stopped:
            made["last_weights"] = fingerprint(self.model.state_dict())
        return History(rows, counters.best_epoch, best, counters.stopped, made)
