"""How a long job goes on: films an hour, the share that is settled, the time left, and failures by kind."""

from __future__ import annotations

import sys
import time
from collections import deque
from typing import Any, TextIO

from cookscribe.batch.manifest import Failure, Manifest
from cookscribe.batch.outcomes import Outcome
from cookscribe.text.printable import one_line

# Outcomes that the speed is taken from: enough to be steady, few enough to follow when workers come and go.
RECENT = 500
NAMED = 20


class Report:
    """Shows the state of a job now and then: a line that changes on a terminal, a line every 30 s in a log."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self.stream = stream or sys.stderr
        self.live = self.stream.isatty()
        self.began = self.shown = time.monotonic()
        self.times: deque[float] = deque([self.began], maxlen=RECENT)
        self.width = 0

    def settled(self, outcome: Outcome[Any, Any], manifest: Manifest) -> None:
        """An outcome was entered."""
        now = time.monotonic()
        self.times.append(now)
        if outcome.error is not None:
            self._print(f"{outcome.kind:8} {one_line(str(outcome.item))}: {outcome.error.cause}")
        if now - self.shown > (0.5 if self.live else 30.0):
            self.shown = now
            text = progress_line(manifest.counts, self.speed(now), manifest.kinds())
            if self.live:
                self.stream.write("\r" + text.ljust(self.width))
                self.width = len(text)
                self.stream.flush()
            else:
                self._print(text)

    def speed(self, now: float) -> float:
        """Films settled in a second, lately."""
        return (len(self.times) - 1) / max(now - self.times[0], 1e-9)

    def _print(self, text: str) -> None:
        if self.width:
            self.stream.write("\r" + " " * self.width + "\r")
            self.width = 0
        print(text, file=self.stream, flush=True)


def progress_line(counts: dict[Any, int], speed: float, kinds: dict[str, int]) -> str:
    """`1,204 of 10,000 films (12 %), 3,600 an hour, 2 h 26 min left; failed: 3 refused, 1 late`."""
    total = sum(counts.values())
    left = counts["waiting"] + counts["running"]
    settled = total - left
    share = settled / total if total else 1.0
    line = f"{settled:,} of {total:,} films ({share:.0%}), {speed * 3600:,.0f} an hour"
    if left and speed > 0:
        line += f", {spelled(left / speed)} left"
    if kinds:
        line += "; failed: " + ", ".join(f"{count:,} {kind}" for kind, count in kinds.items())
    return line


def spelled(seconds: float) -> str:
    """A time as a person says it: `40 s`, `12 min`, `2 h 26 min`, `3 d 4 h`."""
    minutes = round(seconds / 60)
    if seconds < 60:
        return f"{seconds:.0f} s"
    if minutes < 60:
        return f"{minutes} min"
    if minutes < 48 * 60:
        return f"{minutes // 60} h {minutes % 60} min"
    return f"{minutes // 1440} d {minutes % 1440 // 60} h"


def named(failures: list[Failure], total: int, where: str) -> list[str]:
    """The lines that name the films without a recipe; of very many only the first."""
    lines = []
    for failure in failures[:NAMED]:
        tried = f" (tried {failure.tries} times, set aside)" if failure.state == "aside" else ""
        lines.append(f"{failure.kind:8} {failure.path}: {failure.cause}{tried}")
    if total > NAMED:
        lines.append(
            f'... and {total - NAMED:,} more: sqlite3 {where} "SELECT path, kind, cause FROM films '
            "WHERE state IN ('failed', 'aside')\""
        )
    return lines
