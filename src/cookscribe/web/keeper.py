"""The keeper of the worker: starts it, starts it again when it dies, and kills it when its job is cancelled."""

import subprocess
import sys
import threading
from collections.abc import Sequence

from cookscribe.web.jobs import Jobs

LOOK = 0.2  # seconds between two looks at the worker
CALM = 1.0  # seconds before a worker that died is started again


class Keeper:
    """Keeps one worker process alive, from a thread of the server.

    Args:
        jobs: the queue it works on.
        command: what starts the worker.
    """

    def __init__(self, jobs: Jobs, command: Sequence[str]) -> None:
        self.jobs, self.command = jobs, list(command)
        self._process: subprocess.Popen[bytes] | None = None
        self._meant = False  # the death of the worker is ours
        self._lock = threading.Lock()
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._keep, name="keeper", daemon=True)

    def start(self) -> None:
        """Begin: what was under way when the last server ended is taken up again."""
        self.jobs.return_orphans(crashed=False)
        self._thread.start()

    def stop(self) -> None:
        """Let the worker end; its job stays in the queue."""
        self._ending.set()
        self._kill()
        self._thread.join(timeout=10)
        self.jobs.return_orphans(crashed=False)

    def cancel(self, job: int) -> None:
        """Cancel a job, and stop the worker if it is at it."""
        with self._lock:
            if self.jobs.cancel(job):
                self._kill()

    def _kill(self) -> None:
        process = self._process
        if process is not None and process.poll() is None:
            self._meant = True
            process.kill()

    def _keep(self) -> None:
        while not self._ending.is_set():
            self._meant = False
            # A session of its own: an interrupt from the terminal is for the server alone.
            self._process = subprocess.Popen(
                self.command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, start_new_session=True
            )
            while self._process.poll() is None and not self._ending.wait(LOOK):
                pass
            if self._process.poll() is None:
                self._process.kill()
                self._process.wait()
            if self._process.stdin is not None:
                self._process.stdin.close()
            if self._ending.is_set():
                return
            with self._lock:
                self.jobs.return_orphans(crashed=not self._meant)
            if not self._meant:
                self._ending.wait(CALM)


def worker_command(library: str, model: str = "auto", recogniser: str | None = None) -> list[str]:
    """What starts the worker of a library."""
    return [sys.executable, "-m", "cookscribe.web.worker", library, model, *([recogniser] if recogniser else [])]
