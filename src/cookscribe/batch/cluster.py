"""Workers that are Ray actors, on one machine or on a cluster (`pip install 'cookscribe[cluster]'`).

Actors, and not Ray Data. A worker has to keep its models from film to film, which an actor does, and a film that hangs
or kills its worker has to be told from its neighbours: `ray.kill` ends one actor and with it one film. Ray Data works
in blocks: it has no time limit for a row, repeats the whole block when one row kills the worker, and gives results when
a block is complete. Its strengths, streaming between stages and shuffling, are not needed: one film needs no other.

The set-up is put into Ray's object store once, and every actor reads it from there. It names its models and does not
carry them: those of the bundles are small beside the rest of a worker, so that weights as shared objects would save
little. Only the language model's (257 MB) would be worth it, where memory is short (docs/scale.md has the figures).
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
import time
from collections.abc import Iterator, Sequence
from typing import Any

from cookscribe.batch.engine import PAUSE, Crew, Worker, drive
from cookscribe.batch.outcomes import Item, Kind, Outcome, Result, Setup, Source, Work, attempt
from cookscribe.batch.pool import prepare, worker_name
from cookscribe.encoders.base import silent
from cookscribe.errors import CookscribeError, MissingDependencyError

STARTS = 3
# How Ray says that a machine, and not a process, is gone.
_NODE_DIED = ("its node has died", "node it was running on is dead")


def on_ray(setup: Setup[Item, Result], items: Source[Item], crew: Crew) -> Iterator[Outcome[Item, Result]]:
    """`engine.run` with actors.

    Joins the cluster at `crew.address`, that of RAY_ADDRESS or of an earlier `ray.init`; without one it starts a Ray on
    this machine. All paths in `setup` and items must mean the same on every machine.
    """
    if importlib.util.find_spec("ray") is None:
        raise MissingDependencyError("ray", "is not installed", "pip install 'cookscribe[cluster]'")
    # Ray would report its use to its makers, and we connect nowhere unless asked.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    # Imported by name: the type checker must not depend on whether the extra is installed.
    ray: Any = importlib.import_module("ray")
    ours = not ray.is_initialized()
    if ours:
        _join(ray, crew)
    try:
        stored = ray.put(setup)
        actor = ray.remote(max_restarts=0, max_task_retries=0)(_Serving)
        yield from drive(
            lambda number: _Actor(ray, actor, stored, crew, number), lambda workers: _pause(ray, workers), items, crew
        )
    finally:
        if ours:
            ray.shutdown()


def _join(ray: Any, crew: Crew) -> None:
    quiet: dict[str, Any] = {"include_dashboard": False, "logging_level": "ERROR", "log_to_driver": False}
    if crew.address or os.environ.get("RAY_ADDRESS"):
        try:
            ray.init(address=crew.address or None, logging_level="ERROR", log_to_driver=False)
        except (ConnectionError, ValueError, RuntimeError) as error:
            address = crew.address or os.environ["RAY_ADDRESS"]
            cause = str(error).splitlines()[0][:200]
            raise CookscribeError("--address", f"no Ray answers at {address}: {cause}", "ray start --head") from None
    else:
        # Ray lets its workers give way to everything else on a machine; ours are to work as those of `local` do.
        quiet["_system_config"] = {"worker_niceness": 0}
        # Logical processors: they bound the number of workers, and nothing else runs on this Ray.
        gpus = {} if crew.gpu_workers is None else {"num_gpus": -(-crew.gpu_workers * crew.gpu_share // 1)}
        _started(ray, num_cpus=crew.size * max(crew.threads, 1), **gpus, **quiet)


def _started(ray: Any, **options: Any) -> None:
    """Start a Ray on this machine. It gives itself 30 s for that, which a machine with much to do may not keep."""
    for left in reversed(range(STARTS)):
        try:
            ray.init(**options)
            return
        except Exception as error:  # Ray has no type of its own for it
            ray.shutdown()
            if not left:
                cause = f"did not start: {' '.join(str(error).split())[:200]}"
                raise CookscribeError("ray", cause, "try again when the machine is less busy") from None


class _Actor(Worker[Item, Result]):
    """An actor and what it was asked last."""

    beats = False  # an actor does one thing at a time; only the time limit ends a film that hangs

    def __init__(self, ray: Any, actor: Any, stored: Any, crew: Crew, number: int) -> None:
        super().__init__(number)
        self.ray = ray
        self.crash: Exception | None = None
        gpu = crew.gpu(number)
        # How many processors the machine of an actor has is not known here; it takes as many as threads were asked for.
        threads = max(crew.threads, 1)
        self.actor = actor.options(num_cpus=threads, num_gpus=gpu or 0).remote(stored, threads, gpu == 0.0)
        self.asked: Any = self.actor.ready.remote()

    def send(self, item: Item) -> None:
        self.asked = self.actor.work.remote(item)

    def arrived(self) -> Iterator[tuple[Any, Any]]:
        if self.asked is None or not self.ray.wait([self.asked], timeout=0)[0]:
            return
        asked, self.asked = self.asked, None
        try:
            yield self.ray.get(asked)
        except self.ray.exceptions.RayError as error:
            self.crash = error

    def died(self) -> tuple[Kind, str] | None:
        if self.crash is None:
            return None
        reason = " ".join(str(self.crash).split())
        gone = getattr(self.crash, "preempted", False) or any(words in reason for words in _NODE_DIED)
        # Ray tells a long story; the way the process ended is what a reader can use.
        told = re.search(r"Worker exit type: (\w+)", reason)
        return ("lost" if gone else "crashed"), f"its worker process died ({told[1] if told else reason[:200]})"

    def stop(self) -> None:
        self.gone = True
        self.ray.kill(self.actor, no_restart=True)


def _pause(ray: Any, workers: Sequence[Worker[Any, Any]]) -> None:
    asked = [worker.asked for worker in workers if isinstance(worker, _Actor) and worker.asked is not None]
    if asked:
        ray.wait(asked, num_returns=1, timeout=PAUSE, fetch_local=True)
    else:
        time.sleep(PAUSE)


class _Serving:
    """What runs in an actor."""

    def __init__(self, setup: Setup[Any, Any], threads: int, blind: bool) -> None:
        self.prepared: Work[Any, Any] | CookscribeError
        try:
            self.prepared = prepare(setup, threads, "" if blind else None)
        except CookscribeError as error:
            self.prepared = error

    def ready(self) -> tuple[str, Any]:
        """Whether there is anything to work with."""
        if isinstance(self.prepared, CookscribeError):
            return "setup", self.prepared
        return "ready", worker_name()

    def work(self, item: Any) -> tuple[Kind, Any]:
        """Do one item."""
        assert not isinstance(self.prepared, CookscribeError)
        return attempt(self.prepared, item, silent)
