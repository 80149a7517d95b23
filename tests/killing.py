"""Kill -9 of a process that saves as fast as it can, a hundred times over."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path


def kill_while_saving(path: Path, imports: str, save: str, check: Callable[[], None], times: int = 100) -> None:
    """Fork writers of `path` one after the other, kill each after its first save, and `check` what is there.

    Args:
        path: the file; it must exist. `sys.argv[1]` in the code.
        imports: code that runs once, in the process that forks (a hundred interpreters would take minutes to start).
        save: one line that saves again; it may use `number`, which counts the saves of a writer.
        check: raises when the file is corrupt; called after every kill.
    """
    code = (
        f"import os, sys\n{imports}\n"
        f"for turn in range({times}):\n"
        "    child = os.fork()\n"
        "    if child == 0:\n"
        "        for number in range(10**9):\n"
        f"            {save}\n"
        "    print(child, flush=True)\n"
        "    os.waitpid(child, 0)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE, text=True)
    for turn in range(times):
        before = path.stat().st_mtime_ns
        writer = int(process.stdout.readline())
        deadline = time.monotonic() + 30
        while path.stat().st_mtime_ns == before and time.monotonic() < deadline:
            time.sleep(0.0005)
        time.sleep(0.0003 * (turn % 20))
        os.kill(writer, signal.SIGKILL)
        assert path.stat().st_mtime_ns != before, "the writer never saved anything"
        check()
    assert process.wait(timeout=30) == 0
    process.stdout.close()
