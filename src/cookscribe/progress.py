"""Progress for long work: a bar on a terminal, a line now and then in a log, nothing on standard output."""

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sized
from typing import TypeVar

Item = TypeVar("Item")


def track(items: Iterable[Item], label: str, total: int | None = None) -> Iterator[Item]:
    """Yield `items` while showing how many are done.

    On a terminal this is a rich bar on standard error; elsewhere one line at most every 30 seconds, so that logs stay
    readable.
    """
    count = total if total is not None else (len(items) if isinstance(items, Sized) else None)
    if sys.stderr.isatty():
        from rich.console import Console
        from rich.progress import track as rich_track

        yield from rich_track(items, description=label, total=count, console=Console(stderr=True), transient=True)
        return
    last = time.monotonic()
    for done, item in enumerate(items):
        yield item
        if time.monotonic() - last > 30:
            last = time.monotonic()
            print(f"{label}: {done + 1}" + (f" of {count}" if count else ""), file=sys.stderr, flush=True)


class StageClock:
    """Adds up the seconds that each stage of a work takes; call it as the work calls its `stage(name, share)`.

    What passes between two calls belongs to the stage that was called last. Only a stage that first shows itself when a
    part of it is done already has begun before, at the end of the last call.

    Args:
        clock: seconds, of the wall or of the processor.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.seconds: dict[str, float] = {}
        self._clock = clock
        self._stage, self._since = "", clock()

    def __call__(self, stage: str, share: float) -> None:
        now = self._clock()
        begun = stage not in self.seconds and share > 0
        running = stage if begun or not self._stage else self._stage
        self.seconds[running] = self.seconds.get(running, 0.0) + now - self._since
        self.seconds.setdefault(stage, 0.0)
        self._stage, self._since = stage, now

    def stop(self) -> dict[str, float]:
        """Seconds by stage, in the order in which they began, until now."""
        if self._stage:
            self(self._stage, 0.0)
        return self.seconds
