"""`isolated`: work on many items in processes of their own, where a crash or a hang costs one item and not the run.

A decoder is a large C library fed with untrusted files. What it does to its own process cannot be caught in Python, so
the parent watches: a worker that dies, or that shows no sign of life for too long, is replaced and the run goes on.
"""

from __future__ import annotations

import multiprocessing
import signal
import sys
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, Generic, Literal, TypeVar

from cookscribe.encoders.base import Progress
from cookscribe.errors import CookscribeError

Item = TypeVar("Item")
Result = TypeVar("Result")
Work = Callable[[Item, Progress], Result]
Kind = Literal["done", "refused", "bug", "crashed", "stuck"]

PATIENCE = 180.0
SETUP_PATIENCE = 300.0
_BEAT = 0.5


@dataclass(frozen=True)
class Outcome(Generic[Item, Result]):
    """What became of an item.

    Attributes:
        kind: "done"; "refused" with a typed error; "bug", an error of any other type; "crashed" or "stuck".
        result: what the work returned, when done.
        error: why not, otherwise.
    """

    item: Item
    kind: Kind
    result: Result | None = None
    error: CookscribeError | None = None


def isolated(
    setup: Callable[[], Work[Item, Result]],
    items: Sequence[Item],
    workers: int = 1,
    threads: int = 1,
    patience: float = PATIENCE,
) -> Iterator[Outcome[Item, Result]]:
    """Yield an outcome per item, in the order in which they finish.

    Args:
        setup: called once in every worker; returns the function that does the work and reports its progress. Must be
            picklable, as must items and results.
        workers: processes at a time.
        threads: torch threads of each.
        patience: seconds without progress after which a worker is given up.

    Raises:
        CookscribeError: `setup` failed; no item can be done.
    """
    waiting = deque(items)
    crew: list[_Worker[Item, Result]] = []
    try:
        while waiting or any(worker.busy for worker in crew):
            while len(crew) < min(workers, len(waiting) + len(crew)):
                crew.append(_Worker(setup, threads))
            for worker in crew:
                if worker.ready and waiting:
                    worker.start(waiting.popleft())
            wait([handle for worker in crew for handle in (worker.connection, worker.process.sentinel)], timeout=1.0)
            for worker in list(crew):
                outcome = worker.look(patience)
                if worker.gone:
                    crew.remove(worker)
                if outcome is not None:
                    yield outcome
        for worker in crew:
            worker.dismiss()
    finally:
        for worker in crew:
            worker.stop()


class _Worker(Generic[Item, Result]):
    """A process, its line to us, and what it is doing."""

    def __init__(self, setup: Callable[[], Work[Item, Result]], threads: int) -> None:
        # A fresh process: a forked one would share locks with threads that do not exist in it.
        context = multiprocessing.get_context("spawn")
        self.connection, far_end = context.Pipe()
        self.process: BaseProcess = context.Process(target=_serve, args=(far_end, setup, threads), daemon=True)
        self.process.start()
        far_end.close()
        self.ready = self.busy = self.gone = False
        self.item: Item | None = None
        self.last = time.monotonic()

    def start(self, item: Item) -> None:
        self.item, self.ready, self.busy, self.last = item, False, True, time.monotonic()
        self.connection.send((item,))

    def look(self, patience: float) -> Outcome[Item, Result] | None:
        """Read what has arrived; returns the outcome of the item if it is settled."""
        try:
            while self.connection.poll():
                kind, value = self.connection.recv()
                self.last = time.monotonic()
                if kind == "setup":
                    self.stop()
                    raise value
                if kind == "ready":
                    self.ready = True
                elif kind != "alive":
                    self.ready = True
                    return self._settled(kind, value)
        except (EOFError, ConnectionError):
            self.process.join(timeout=5)
        if not self.process.is_alive():
            return self._lost("crashed", f"its worker process died ({_death(self.process.exitcode)})")
        # Setting up imports libraries and reads weights, which says nothing about any film.
        most = patience if self.busy else max(patience, SETUP_PATIENCE)
        if time.monotonic() - self.last > most and not self.ready:
            return self._lost("stuck", f"no progress for {most:g} s")
        return None

    def dismiss(self) -> None:
        """Let a worker that has nothing to do end by itself, which leaves nothing behind."""
        self.connection.close()
        self.process.join(timeout=5)

    def stop(self) -> None:
        self.gone = True
        self.process.kill()
        self.process.join()
        self.connection.close()

    def _settled(self, kind: Kind, value: Any) -> Outcome[Item, Result]:
        self.busy = False
        assert self.item is not None
        if kind == "done":
            return Outcome(self.item, kind, result=value)
        return Outcome(self.item, kind, error=value)

    def _lost(self, kind: Kind, cause: str) -> Outcome[Item, Result]:
        self.stop()
        if not self.busy:
            raise CookscribeError("worker process", f"could not be set up: {cause}", "is there enough memory?")
        return self._settled(kind, CookscribeError(str(self.item), cause, "the file may be damaged; it was left out"))


def _death(code: int | None) -> str:
    if code is not None and code < 0:
        return signal.Signals(-code).name
    return f"exit code {code}"


def _serve(connection: Connection, setup: Callable[[], Work[Any, Any]], threads: int) -> None:
    """What runs in a worker process."""
    # An interrupt at the keyboard reaches all processes; the parent decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        work = setup()
    except CookscribeError as error:
        connection.send(("setup", error))
        return
    if "torch" in sys.modules:  # not all work needs it, and importing it takes a second
        sys.modules["torch"].set_num_threads(threads)
    connection.send(("ready", None))
    while True:
        try:
            (item,) = connection.recv()
        except EOFError:
            return
        connection.send(attempt(work, item, _Beat(connection)))


def attempt(work: Work[Any, Any], item: Any, progress: Progress) -> tuple[Kind, Any]:
    """Do the work and say how it went: the kind of outcome, and the result or the error."""
    try:
        return "done", work(item, progress)
    except CookscribeError as error:
        return "refused", error
    except Exception as error:  # a bug of ours must not stop the run; it is named, and its trace is in the log
        traceback.print_exc()
        return "bug", CookscribeError(str(item), f"unexpected {type(error).__name__}: {error}", "please report this")


class _Beat:
    """Progress as a sign of life, at most two a second."""

    def __init__(self, connection: Connection) -> None:
        self.connection, self.last = connection, 0.0

    def __call__(self, seconds: float) -> None:
        if time.monotonic() - self.last > _BEAT:
            self.last = time.monotonic()
            self.connection.send(("alive", seconds))
