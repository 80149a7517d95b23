"""`Case`, and the crew that tries many: each case in a process of its own, a few at a time."""

import contextlib
import json
import os
import shutil
import signal
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from faults.running import Broken

# A case that is not over by then is itself broken; its runs have shorter limits of their own.
PATIENCE = 600.0


@dataclass(frozen=True)
class Case:
    """One try.

    Attributes:
        name: what is tried, in a few words.
        check: given an empty folder of its own; raises `Broken`.
    """

    name: str
    check: Callable[[Path], None]


@dataclass(frozen=True)
class Verdict:
    """What became of case `number` of class `kind`; no `reason` means that the program held. The rest is of its run."""

    kind: str
    number: int
    name: str
    reason: str | None = None
    code: int | None = None
    complaint: str = ""
    seconds: float = 0.0


@dataclass(frozen=True)
class Scale:
    """How much is tried: `seed` decides all that is left to chance, `quick` tries a few of each kind."""

    seed: int
    quick: bool
    material: Path  # a folder with the films of `material.py`

    def some(self, cases: Sequence[Case], quick: int) -> list[Case]:
        """All cases, or `quick` of them spread over the list."""
        if not self.quick or len(cases) <= quick:
            return list(cases)
        return [cases[round(n * (len(cases) - 1) / max(1, quick - 1))] for n in range(quick)]


def tried(cases: Sequence[tuple[str, int, Case]], folder: Path, crew: int, keep: bool = False) -> Iterator[Verdict]:
    """Try cases (class, number, case), `crew` at a time, in their order; verdicts come as they are found."""
    waiting = list(reversed(cases))
    busy: dict[int, tuple[str, int, Case, Path, float]] = {}
    try:
        while waiting or busy:
            while waiting and len(busy) < crew:
                kind, number, case = waiting.pop()
                place = folder / kind / f"case-{number}"
                place.mkdir(parents=True)
                busy[_forked(kind, number, case, place)] = kind, number, case, place, time.monotonic()
            time.sleep(0.005)
            for pid, (kind, number, case, place, started) in list(busy.items()):
                over, _ = os.waitpid(pid, os.WNOHANG)
                late = time.monotonic() - started > PATIENCE
                if not over and not late:
                    continue
                _end(pid, over == 0)
                del busy[pid]
                yield _read(
                    place, Verdict(kind, number, case.name, "the case did not end" if late else "the case died")
                )
                if not keep:
                    remove(place)
    finally:
        for pid in busy:
            _end(pid, True)


def _forked(kind: str, number: int, case: Case, place: Path) -> int:
    pid = os.fork()
    if pid:
        return pid
    try:
        # A group of its own, so that whatever a case leaves running can be ended with it.
        os.setsid()
        started = time.monotonic()
        reason: str | None = None
        result = None
        try:
            case.check(place)
        except Broken as broken:
            reason, result = broken.reason, broken.result
        except Exception as error:  # a fault of the harness: it must be seen, and not counted as held
            traceback.print_exc()
            reason = f"the case itself failed: {type(error).__name__}: {error}"
        verdict = Verdict(
            kind,
            number,
            case.name,
            reason,
            None if result is None else result.code,
            "" if result is None else _shown(result.complaint),
            round(time.monotonic() - started, 2),
        )
        _verdict_of(place).write_text(json.dumps(asdict(verdict)))
    finally:
        os._exit(0)


def _shown(text: str) -> str:
    """One line that is safe to print."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)[:300]


def _verdict_of(place: Path) -> Path:
    return place.with_name(f"{place.name}.verdict")


def _read(place: Path, otherwise: Verdict) -> Verdict:
    try:
        return Verdict(**json.loads(_verdict_of(place).read_text()))
    except (OSError, ValueError):
        return otherwise


def _end(pid: int, running: bool) -> None:
    """End the group of a case; `pid` is reaped if it was still running."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)
    if running:
        os.waitpid(pid, 0)


def remove(place: Path) -> None:
    """Remove a folder whatever its permissions are."""

    def unlocked(function: Callable[[str], object], path: str, _: object) -> None:
        os.chmod(Path(path).parent, 0o700)
        if Path(path).exists():
            function(path)

    shutil.rmtree(place, onerror=unlocked)
