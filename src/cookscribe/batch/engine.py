"""`run`: the same work on many items, by a crew of workers in which a crash or a hang costs one item and not the run.

A decoder is a large C library fed with untrusted files. What it does to its own process cannot be caught in Python, so
the parent watches: a worker that dies, shows no sign of life or takes too long is replaced, and the run goes on.
A worker has one item in hand and none in a queue of its own, so that its death costs no more than that one.
The loop is written once; `pool.py` has workers that are processes of this machine, `cluster.py` Ray actors.
"""

from __future__ import annotations

import os
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic

from cookscribe.batch.outcomes import Item, Kind, Outcome, Result, Setup, Source
from cookscribe.encoders.base import silent
from cookscribe.errors import BadValueError, CookscribeError

ENGINES = ("local", "ray")
PATIENCE = 180.0
SETUP_PATIENCE = 300.0
# Workers that die one after the other before any of them is ready: it is not chance that kills them.
MOST_DEAD_SETUPS = 3
# How long the loop sleeps when nothing arrives, in seconds; limits are noticed so much late.
PAUSE = 1.0


@dataclass(frozen=True)
class Crew:
    """Who does the work.

    Attributes:
        engine: "local", processes of this machine, or "ray", a Ray cluster.
        workers: how many; 0 takes one per processor.
        threads: torch threads of each; 0 shares the processors of this machine out among the workers, with Ray one.
        patience: seconds without a sign of life after which a worker is given up.
        timeout: seconds that an item may take; 0 sets no limit.
        address: of the Ray cluster to join; empty takes RAY_ADDRESS, else starts a Ray on this machine.
        gpu_workers: how many of the workers get a GPU, the others see none; None leaves all as it is.
        gpu_share: what each of these takes of a GPU.
    """

    engine: str = "local"
    workers: int = 0
    threads: int = 0
    patience: float = PATIENCE
    timeout: float = 0.0
    address: str = ""
    gpu_workers: int | None = None
    gpu_share: float = 1.0

    def __post_init__(self) -> None:
        if self.engine not in ENGINES:
            raise BadValueError("--engine", f"must be {' or '.join(ENGINES)}, got {self.engine}")
        if self.address and self.engine != "ray":
            raise BadValueError("--address", "is that of a Ray cluster", "add --engine ray")
        if self.workers < 0 or self.timeout < 0 or not 0 < self.gpu_share <= 1:
            raise BadValueError("workers", "their number, time and share of a GPU cannot be below 0, the share above 1")

    @property
    def size(self) -> int:
        """Number of workers."""
        return self.workers or processors()

    def at_most(self, items: int) -> Crew:
        """The same crew, with no more workers than there are items; the others would have nothing to do."""
        return replace(self, workers=min(self.size, max(items, 1)))

    @property
    def threads_each(self) -> int:
        """Torch threads of a worker."""
        return self.threads or max(1, processors() // self.size)

    def gpu(self, number: int) -> float | None:
        """What the worker of this number takes of a GPU; None where nobody said anything about GPUs."""
        if self.gpu_workers is None:
            return None
        return self.gpu_share if number < self.gpu_workers else 0.0


def processors() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run(
    setup: Setup[Item, Result], items: Iterable[Item] | Source[Item], crew: Crew | None = None
) -> Iterator[Outcome[Item, Result]]:
    """Yield an outcome per item, in the order in which they finish.

    Args:
        setup: called once in every worker; returns the function that does the work and reports its progress. Must be
            picklable, as must items and results.
        items: to be done. A `Source` may be filled further, e.g. with what an outcome says must be tried again.

    Raises:
        CookscribeError: `setup` failed; no item can be done.
    """
    crew = crew or Crew()
    source: Source[Item] = items if hasattr(items, "popleft") else deque(items)  # type: ignore[assignment]
    if crew.engine == "ray":
        from cookscribe.batch.cluster import on_ray

        return on_ray(setup, source, crew)
    from cookscribe.batch.pool import isolated

    return isolated(setup, source, crew)


def results(setup: Setup[Item, Result], items: Iterable[Item], crew: Crew | None = None) -> Iterator[Result]:
    """The results of all items in the order in which they finish, where one that fails makes the whole useless.

    Args:
        crew: None does the work in this process.
    """
    if crew is None:
        work = setup()
        yield from (work(item, silent) for item in items)
        return
    for outcome in run(setup, items, crew):
        if outcome.error is not None:
            raise outcome.error
        yield outcome.result  # type: ignore[misc]


class Worker(Generic[Item, Result], ABC):
    """One of the crew, as the loop sees it: what it is doing, and since when."""

    # Whether signs of life arrive between the beginning and the end of an item.
    beats = True

    def __init__(self, number: int) -> None:
        self.number, self.name = number, f"worker {number}"
        self.ready = self.busy = self.gone = False
        self.cause = ""
        self.item: Item | None = None
        self.last = self.began = time.monotonic()

    def start(self, item: Item) -> None:
        """Give it an item."""
        self.item, self.ready, self.busy = item, False, True
        self.last = self.began = time.monotonic()
        self.send(item)

    def look(self, crew: Crew) -> Outcome[Item, Result] | None:
        """Take in what has arrived; returns the outcome of the item if it is settled."""
        for kind, value in self.arrived():
            self.last = time.monotonic()
            if kind == "setup":
                self.stop()
                raise value
            if kind == "ready":
                self.ready, self.name = True, value
            elif kind != "alive":
                self.ready, self.busy = True, False
                return self._outcome(kind, value)
        if (died := self.died()) is not None:
            return self._lost(*died)
        if self.ready:
            return None
        # Setting up imports libraries and reads weights, which says nothing about any item.
        most = crew.patience if self.busy else max(crew.patience, SETUP_PATIENCE)
        now = time.monotonic()
        if self.busy and crew.timeout and now - self.began > crew.timeout:
            return self._lost("late", f"took longer than {crew.timeout:g} s")
        if self.beats and now - self.last > most:
            return self._lost("stuck", f"no progress for {most:g} s")
        return None

    def _lost(self, kind: Kind, cause: str) -> Outcome[Item, Result] | None:
        self.stop()
        self.cause = cause
        if not self.busy:
            return None
        return self._outcome(kind, CookscribeError(str(self.item), cause, "the file may be damaged; it was left out"))

    def _outcome(self, kind: Kind, value: Any) -> Outcome[Item, Result]:
        assert self.item is not None
        if kind == "done":
            return Outcome(self.item, kind, result=value, worker=self.name)
        return Outcome(self.item, kind, error=value, worker=self.name)

    @abstractmethod
    def send(self, item: Item) -> None:
        """Hand an item over."""

    @abstractmethod
    def arrived(self) -> Iterator[tuple[Any, Any]]:
        """Kind and value of the messages that have come: "setup", "ready", "alive", or how an item went."""

    @abstractmethod
    def died(self) -> tuple[Kind, str] | None:
        """How it died, if it did."""

    def dismiss(self) -> None:
        """Let it end by itself, where it has nothing to do."""

    @abstractmethod
    def stop(self) -> None:
        """End it, whatever it does."""


def drive(
    make: Callable[[int], Worker[Item, Result]],
    pause: Callable[[Sequence[Worker[Item, Result]]], None],
    items: Source[Item],
    crew: Crew,
) -> Iterator[Outcome[Item, Result]]:
    """The loop: keep the crew complete, every worker busy, and tell what becomes of the items.

    Args:
        make: starts the worker of a number.
        pause: waits until one of the workers has something to tell, `PAUSE` seconds at most.
    """
    workers: list[Worker[Item, Result]] = []
    dead = 0
    try:
        while len(items) or any(worker.busy for worker in workers):
            while len(workers) < min(crew.size, len(items) + sum(worker.busy for worker in workers)):
                taken = {worker.number for worker in workers}
                workers.append(make(next(number for number in range(crew.size) if number not in taken)))
            for worker in workers:
                if worker.ready and len(items):
                    worker.start(items.popleft())
            pause(workers)
            for worker in list(workers):
                outcome = worker.look(crew)
                if worker.gone:
                    workers.remove(worker)
                    dead = 0 if worker.busy or worker.ready else dead + 1
                    if dead == MOST_DEAD_SETUPS:
                        cause = f"could not be set up: {worker.cause}"
                        raise CookscribeError("worker process", cause, "is there enough memory?")
                elif worker.ready:
                    dead = 0
                    # Before the outcome is written down: a worker does not wait for the disk.
                    if len(items):
                        worker.start(items.popleft())
                if outcome is not None:
                    yield outcome
        for worker in workers:
            worker.dismiss()
    finally:
        for worker in workers:
            worker.stop()
