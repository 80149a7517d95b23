"""Progress for long work: a bar on a terminal, a line now and then in a log, nothing on standard output."""

import sys
import time
from collections.abc import Iterable, Iterator, Sized
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
