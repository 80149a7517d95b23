"""Work for the pool's tests; in a module of its own because processes import it."""

import os
import signal
import time
from pathlib import Path

from cookscribe.batch.outcomes import Work
from cookscribe.encoders.base import Progress
from cookscribe.errors import BadFileError, MissingDependencyError


def various(item: str, progress: Progress) -> int:
    """Does what the item says."""
    if item == "refuse":
        raise BadFileError(item, "is not a film", "try another")
    if item == "bug":
        raise ZeroDivisionError("a mistake of ours")
    if item == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    if item == "exit":
        os._exit(7)
    if item == "hang":
        time.sleep(600)
    if item == "slow":
        for second in range(12):
            time.sleep(0.25)
            progress(float(second))
    return os.getpid()


def visible(item: str, progress: Progress) -> str:
    """The GPUs that its process may see. Waits in the folder `item` until another process has come there, too."""
    (Path(item) / str(os.getpid())).touch()
    while len(os.listdir(item)) < 2:
        time.sleep(0.05)
        progress(0.0)
    return os.environ.get("CUDA_VISIBLE_DEVICES", "all")


def visible_setup() -> Work[str, str]:
    return visible


def setup() -> Work[str, int]:
    return various


def broken_setup() -> Work[str, int]:
    raise MissingDependencyError("weights", "not found", "install them")


def dying_setup() -> Work[str, int]:
    os._exit(3)
