"""What the benchmarks share: `--quick`, one thread, processor time, and one JSON object as the last line."""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import torch

T = TypeVar("T")


def options(about: str | None, quick: str, **more: Any) -> argparse.Namespace:
    """`--quick`, which means what `quick` says, and further options by name and default. One thread from here on."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help=quick)
    for name, default in more.items():
        parser.add_argument(f"--{name}", type=type(default), default=default)
    torch.set_num_threads(1)
    return parser.parse_args()


def timed(work: Callable[[], T], repeat: int = 1) -> tuple[float, T]:
    """Shortest processor time of some runs, in seconds, and what the last one gave.

    Processor time of all threads together, because a busy machine slows only the clock on the wall; the shortest,
    because other work only ever adds.
    """
    best = float("inf")
    for _ in range(repeat):
        began = time.process_time()
        found = work()
        best = min(best, time.process_time() - began)
    return best, found


def memory_of(module: str, call: str) -> tuple[float, float]:
    """Peak memory in megabytes of a fresh process before and after it runs a function of a benchmark (Linux)."""
    code = f"import frame, {module}; before = frame.peak(); {module}.{call}; print(before, frame.peak())"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, text=True, check=True)
    before, after = map(float, done.stdout.split()[-2:])
    return before, after


def peak() -> float:
    """Largest resident memory of this process in megabytes. (`getrusage` would count the parent's before the start.)"""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


def finish(**figures: Any) -> None:
    """Print the figures as the last line."""
    print(json.dumps(figures))
