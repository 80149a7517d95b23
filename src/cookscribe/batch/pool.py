"""Workers that are processes of this machine, each fresh and with models of its own."""

from __future__ import annotations

import multiprocessing
import os
import platform
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any

from cookscribe.batch.engine import PAUSE, Crew, Worker, drive
from cookscribe.batch.outcomes import Item, Kind, Outcome, Result, Setup, Source, attempt
from cookscribe.errors import CookscribeError

_BEAT = 0.5


def isolated(setup: Setup[Item, Result], items: Source[Item], crew: Crew) -> Iterator[Outcome[Item, Result]]:
    """`engine.run` with processes."""
    return drive(lambda number: _Process(setup, crew, number), _pause, items, crew)


class _Process(Worker[Item, Result]):
    """A process and its line to us."""

    def __init__(self, setup: Setup[Item, Result], crew: Crew, number: int) -> None:
        super().__init__(number)
        context = _context(getattr(setup, "IMPORTS", ()))
        self.connection, far_end = context.Pipe()
        gpu = crew.gpu(number)
        visible = None if gpu is None else str(int(number * gpu)) if gpu else ""
        self.process: BaseProcess = context.Process(
            target=_serve, args=(far_end, setup, crew.threads_each, visible), daemon=True
        )
        self.process.start()
        far_end.close()

    def send(self, item: Item) -> None:
        with suppress(ConnectionError):  # it died while it waited; `died` tells
            self.connection.send((item,))

    def arrived(self) -> Iterator[tuple[Any, Any]]:
        try:
            while self.connection.poll():
                yield self.connection.recv()
        except (EOFError, ConnectionError):
            self.process.join(timeout=5)

    def died(self) -> tuple[Kind, str] | None:
        if self.process.is_alive():
            return None
        return "crashed", f"its worker process died ({_death(self.process.exitcode)})"

    def dismiss(self) -> None:
        # Leaves nothing behind, as being killed would.
        self.connection.close()
        self.process.join(timeout=5)

    def stop(self) -> None:
        self.gone = True
        self.process.kill()
        self.process.join()
        self.connection.close()


def _context(modules: Sequence[str]) -> Any:
    """Where processes come from. A fork of ours would share locks with threads that do not exist in it.

    A server without threads, where the system has it: it imports the modules once, and a new worker is there within a
    moment and shares their memory. Elsewhere every process is begun afresh.
    """
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(list(modules))
    return context


def _pause(workers: Sequence[Worker[Any, Any]]) -> None:
    ours = [worker for worker in workers if isinstance(worker, _Process)]
    wait([handle for worker in ours for handle in (worker.connection, worker.process.sentinel)], timeout=PAUSE)


def _death(code: int | None) -> str:
    if code is not None and code < 0:
        return signal.Signals(-code).name
    return f"exit code {code}"


def _serve(connection: Connection, setup: Setup[Any, Any], threads: int, visible: str | None) -> None:
    """What runs in a worker process."""
    # An interrupt at the keyboard reaches all processes; the parent decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        work = prepare(setup, threads, visible)
    except CookscribeError as error:
        connection.send(("setup", error))
        return
    connection.send(("ready", worker_name()))
    while True:
        try:
            (item,) = connection.recv()
        except EOFError:
            return
        connection.send(attempt(work, item, _Beat(connection)))


def prepare(setup: Setup[Item, Result], threads: int, visible: str | None) -> Any:
    """Set up the work in this process.

    Args:
        visible: the GPUs it may see, as CUDA names them; None changes nothing.
    """
    if visible is not None:
        os.environ["CUDA_VISIBLE_DEVICES"] = visible
    work = setup()
    if "torch" in sys.modules:  # not all work needs it, and importing it takes a second
        sys.modules["torch"].set_num_threads(threads)
    return work


def worker_name() -> str:
    """Machine and process."""
    return f"{platform.node()}:{os.getpid()}"


def _end_with_parent() -> None:
    """A worker whose parent was killed must not work on: whoever resumes the run gives its item to somebody else."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


class _Beat:
    """Progress as a sign of life, at most two a second."""

    def __init__(self, connection: Connection) -> None:
        self.connection, self.last = connection, 0.0

    def __call__(self, seconds: float) -> None:
        if time.monotonic() - self.last > _BEAT:
            self.last = time.monotonic()
            self.connection.send(("alive", seconds))
