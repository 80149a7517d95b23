"""The same encoding job on a Ray cluster (`pip install 'cookscribe[cluster]'`)."""

from __future__ import annotations

import importlib
import importlib.util
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from cookscribe.encoders.base import Progress, silent
from cookscribe.encoders.jobs import Encoded, EncodeJob
from cookscribe.encoders.pool import Outcome, attempt
from cookscribe.errors import CookscribeError, MissingDependencyError

# Films handed over before others are finished; enough to keep all workers busy, few enough to keep the queue small.
AHEAD = 4

_loaded: dict[str, Callable[[Path, Progress], Encoded]] = {}


def on_ray(job: EncodeJob, films: Sequence[Path], workers: int) -> Iterator[Outcome[Path, Encoded]]:
    """Encode `films` with Ray tasks of one processor each; outcomes come as they finish.

    Joins the cluster that RAY_ADDRESS or an earlier `ray.init` names; without one it starts a local Ray of `workers`
    workers. Films and feature folder must be reachable under the same paths from every machine.
    """
    if importlib.util.find_spec("ray") is None:
        raise MissingDependencyError("ray", "is not installed", "pip install 'cookscribe[cluster]'")
    # Imported by name: the type checker must not depend on whether the extra is installed.
    ray: Any = importlib.import_module("ray")
    ours = not ray.is_initialized()
    if ours:
        local = None if os.environ.get("RAY_ADDRESS") else workers
        ray.init(num_cpus=local, include_dashboard=False, logging_level="ERROR", log_to_driver=False)
    try:
        yield from _tasks(ray, job, films, workers)
    finally:
        if ours:
            ray.shutdown()


def _tasks(ray: Any, job: EncodeJob, films: Sequence[Path], workers: int) -> Iterator[Outcome[Path, Encoded]]:
    task = ray.remote(num_cpus=1, max_retries=0)(_encode_one)
    waiting = list(reversed(films))
    running: dict[Any, Path] = {}
    while waiting or running:
        while waiting and len(running) < workers * AHEAD:
            film = waiting.pop()
            running[task.remote(job, film)] = film
        finished, _ = ray.wait(list(running), num_returns=1)
        film = running.pop(finished[0])
        try:
            kind, value = ray.get(finished[0])
        except ray.exceptions.RayError as error:
            reason = str(error).splitlines()[0][:200]
            lost = CookscribeError(film, f"its worker process died: {reason}", "the file may be damaged")
            yield Outcome(film, "crashed", error=lost)
            continue
        if kind == "setup":
            raise value
        yield Outcome(film, "done", result=value) if kind == "done" else Outcome(film, kind, error=value)


def _encode_one(job: EncodeJob, film: Path) -> tuple[str, Any]:
    """Runs in a Ray worker, which keeps the encoder for the next film."""
    import torch

    torch.set_num_threads(1)
    key = repr(job)
    if key not in _loaded:
        try:
            _loaded[key] = job()
        except CookscribeError as error:
            return "setup", error
    return attempt(_loaded[key], film, silent)
