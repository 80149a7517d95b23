"""The program as a black box: run in a child with limits, by a fork of this warm process or as a process of its own.

A fresh process spends two seconds on imports. A fork of one that has imported everything, but has started no thread
and computed nothing, starts at once and cannot harm the harness. Where the start itself matters (locale, HOME, closed
pipes) `fresh=True` starts a process as a user does.
"""

import contextlib
import gc
import io
import json
import os
import resource
import select
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

import cookscribe.cli

# What `write`, `export`, `evaluate` and `encode` import when they begin to work. Listening libraries are not among
# them: whether they talk to the network is one of the questions.
WARM = (
    "torch",
    "rich.progress",
    "rich.table",
    "cookscribe.cli",
    "cookscribe.cli.recipe_table",
    "cookscribe.encoders.jobs",
    "cookscribe.encoders.effnet",
    "cookscribe.evaluation",
    "cookscribe.export.pictures",
    "cookscribe.export.writers",
    "cookscribe.pipelines.speech",
    "cookscribe.pipelines.visual",
    "cookscribe.scribe",
)
SECONDS = 90.0
MEMORY = 1500  # megabytes
# Address space beyond which a run is stopped before it harms the machine; threads reserve much that they never use.
ADDRESSES = 8 << 30
Before = Callable[[], None]


@dataclass(frozen=True)
class Result:
    """How a run ended.

    Attributes:
        code: exit code; minus the signal's number if one ended it.
        out, err: what it wrote, bytes that are no UTF-8 as surrogates.
        seconds: by the clock.
        grown: largest resident memory in megabytes, less what the warm process had before.
        hung: it was stopped because its time was over.
    """

    code: int
    out: str
    err: str
    seconds: float
    grown: float
    hung: bool = False

    @property
    def complaint(self) -> str:
        """The first line of standard error, or the error a traceback ends with."""
        lines = [line for line in self.err.splitlines() if line.strip()]
        if not lines:
            return ""
        return lines[-1] if lines[0].startswith("Traceback") else lines[0]


class Broken(Exception):
    """A promise that was not kept; `result` is the run that broke it."""

    def __init__(self, reason: str, result: Result | None = None) -> None:
        super().__init__(reason)
        self.reason, self.result = reason, result


def warm_up() -> None:
    """Import what the runs need. Must come before the first fork, and starts no thread."""
    for name in WARM:
        import_module(name)
    cookscribe.cli.build_app()
    gc.freeze()  # or every child would copy what the collector touches


@dataclass
class Running:
    """A run that was started and not yet waited for."""

    pid: int
    folder: Path
    number: int
    base: float
    started: float = field(default_factory=time.monotonic)
    status: tuple[int, float] | None = None  # wait status and peak megabytes, once it is over

    def poll(self) -> bool:
        """Whether it is over."""
        if self.status is None:
            pid, status, usage = os.wait4(self.pid, os.WNOHANG)
            if pid:
                self.status = status, usage.ru_maxrss / 1024
        return self.status is not None

    def kill(self) -> None:
        """Kill -9, unless it is over."""
        if not self.poll():
            os.kill(self.pid, signal.SIGKILL)

    def wait(self, seconds: float = SECONDS) -> Result:
        """Wait for the end, at most `seconds` from the start, and collect what there is."""
        hung, pause = False, 0.002
        while not self.poll():
            if time.monotonic() - self.started > seconds:
                hung = True
                os.kill(self.pid, signal.SIGKILL)
                seconds = float("inf")
            time.sleep(pause)
            pause = min(pause * 1.3, 0.05)
        assert self.status is not None
        status, peak = self.status
        out, err = (
            path.read_bytes().decode("utf-8", "surrogateescape") if path.exists() else ""
            for path in _captured(self.folder, self.number)
        )
        code = os.waitstatus_to_exitcode(status)
        return Result(code, out, err, time.monotonic() - self.started, peak - self.base, hung)


_number = 0


def start(
    arguments: Sequence[str | bytes],
    folder: Path,
    env: Mapping[str, str | None] | None = None,
    before: Before | None = None,
    out: Path | int | None = None,
    fresh: bool = False,
    seconds: float = SECONDS,
) -> Running:
    """Start `cookscribe ARGUMENTS` in `folder`.

    Args:
        env: changes to the environment; None removes a variable. HOME and TMPDIR are empty folders of the case.
        before: called in the child before the program begins.
        out: file or descriptor for standard output instead of capturing it.
        fresh: a process of its own instead of a fork.
        seconds: of processor time after which it is stopped.
    """
    global _number
    _number += 1
    environment = surroundings(folder, env)
    captured = _captured(folder, _number)
    here = 0.0 if fresh else _memory()[1] / 2**20

    def prepare() -> None:
        descriptors = [os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o666) for path in captured]
        if out is not None:
            descriptors[0] = os.open(out, os.O_WRONLY) if isinstance(out, Path) else out
        nothing = os.open(os.devnull, os.O_RDONLY)
        for target, source in enumerate((nothing, *descriptors)):
            os.dup2(source, target)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 5))
        resource.setrlimit(resource.RLIMIT_AS, (_memory()[0] + ADDRESSES,) * 2)
        if before is not None:
            before()

    if fresh:
        process = subprocess.Popen(
            [sys.executable, "-m", "cookscribe", *arguments],
            cwd=folder,
            env=environment,
            preexec_fn=prepare,
            close_fds=out is None or isinstance(out, Path),
        )
        process.returncode = 0  # waited for here, not by the library
        return Running(process.pid, folder, _number, here)
    pid = os.fork()
    if pid == 0:
        code = 70
        try:
            os.chdir(folder)
            os.environ.clear()
            os.environ.update(environment)
            prepare()
            code = _main(arguments)
        except BaseException:
            with contextlib.suppress(BaseException):
                traceback.print_exc()
        finally:
            os._exit(code)
    return Running(pid, folder, _number, here)


def run(arguments: Sequence[str | bytes], folder: Path, *, seconds: float = SECONDS, **options: object) -> Result:
    """`start`, then wait."""
    return start(arguments, folder, seconds=seconds, **options).wait(seconds)  # type: ignore[arg-type]


def _main(arguments: Sequence[str | bytes]) -> int:
    """What the installed command does between the start of the interpreter and its end."""
    from cookscribe.cli import main

    sys.stdin = io.TextIOWrapper(io.FileIO(0, closefd=False))
    sys.stdout = io.TextIOWrapper(io.BufferedWriter(io.FileIO(1, "w", closefd=False)), "utf-8")
    sys.stderr = io.TextIOWrapper(io.FileIO(2, "w", closefd=False), "utf-8", "backslashreplace", write_through=True)
    sys.argv = ["cookscribe", *(os.fsdecode(argument) for argument in arguments)]
    code: object = 0
    try:
        main()
    except SystemExit as end:
        code = end.code
    except BaseException:
        traceback.print_exc()
        code = 1
    try:
        sys.stdout.flush()
    except OSError:
        # The interpreter says this at its end.
        print("Exception ignored in: <stdout>", file=sys.stderr)
        code = 120
    sys.stderr.flush()
    return code if isinstance(code, int) else 0 if code is None else 1


def surroundings(folder: Path, changes: Mapping[str, str | None] | None = None) -> dict[str, str]:
    """The environment of a run: this one's, without what would lead it out of its folder."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("COOKSCRIBE_", "XDG_"))}
    for name in ("HOME", "TMPDIR"):
        place = folder / f".{name.lower()}"
        place.mkdir(exist_ok=True)
        environment[name] = str(place)
    environment |= {"COLUMNS": "240", "OMP_NUM_THREADS": "1", "NO_COLOR": "1"}
    # A process of its own must run the same program as this one, wherever it starts.
    places = [str(Path(cookscribe.__file__).parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment["PYTHONPATH"] = os.pathsep.join(places)
    for name, value in (changes or {}).items():
        environment.pop(name, None)
        if value is not None:
            environment[name] = value
    return environment


def _captured(folder: Path, number: int) -> tuple[Path, Path]:
    place = folder / ".said"
    place.mkdir(exist_ok=True)
    return place / f"{number}.out", place / f"{number}.err"


def _memory() -> list[int]:
    """Bytes of address space, of resident memory, and more."""
    return [int(pages) * resource.getpagesize() for pages in Path("/proc/self/statm").read_text().split()]


def aside(work: Callable[[], Any], seconds: float = SECONDS) -> Any:
    """What `work` returns (as JSON), from a child; None if it fails, dies or takes too long.

    Whatever decodes or encodes starts threads, and a process with threads must not be forked any more.
    """
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        with contextlib.suppress(BaseException):
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds)))
            os.write(writer, json.dumps(work()).encode())
        os._exit(0)
    os.close(writer)
    with open(reader, "rb") as answer:
        ready, _, _ = select.select([answer], [], [], 3 * seconds)
        if not ready:
            os.kill(pid, signal.SIGKILL)
        data = answer.read()
    os.waitpid(pid, 0)
    return json.loads(data) if data else None
