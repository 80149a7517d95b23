"""A scribe for the benchmark of many films: the shipped one without its language model, but two marked films let it
hang or kill its process.

The product has no such hook; a job is given this scribe instead of its own (`WriteJob.load`). It notes when a film is
begun and when its recipe is written, so that others can see who does what.
"""

import os
import signal
import time
from functools import partial
from pathlib import Path
from typing import Any

from cookscribe.batch.engine import Crew
from cookscribe.batch.films import films_of
from cookscribe.batch.job import WriteJob
from cookscribe.batch.report import Report
from cookscribe.batch.run import Job
from cookscribe.pipelines.speech import SpeechPipeline
from cookscribe.recipe import Recipe
from cookscribe.scribe import Scribe, load
from cookscribe.video import VideoFile

BUNDLE = "youcook2-speech"
HANGS, KILLS = "hangs", "kills"


class MarkedScribe:
    """Writes with `scribe`, and a line a moment into `log`: what, film, process, and three clocks in seconds.

    The clock on the wall, the processor time of this process, and the time in which it could work but had no processor.
    """

    def __init__(self, scribe: Scribe, log: Path) -> None:
        self.scribe, self.log = scribe, log

    def write(self, video: VideoFile, *given: Any, **named: Any) -> Recipe:
        name = video.path.stem
        self.note("begun", name)
        if name.endswith(HANGS):
            time.sleep(3600)
        if name.endswith(KILLS):
            os.kill(os.getpid(), signal.SIGKILL)
        recipe = self.scribe.write(video, *given, **named)
        self.note("written", name)
        return recipe

    def note(self, what: str, name: str) -> None:
        queued = int(Path("/proc/self/schedstat").read_text().split()[1]) / 1e9
        line = f"{what} {name} {os.getpid()} {time.time():.4f} {time.process_time():.4f} {queued:.4f}\n"
        # One write at the end of the file: lines of several processes do not mix.
        with self.log.open("ab", buffering=0) as file:
            file.write(line.encode())


def load_marked(log: Path) -> Any:
    """The scribe, with its models loaded."""
    import torch

    torch.set_num_threads(1)
    scribe = load(BUNDLE)
    pipeline = scribe.pipeline(scribe.bundle)
    assert isinstance(pipeline, SpeechPipeline)
    # The queue is measured, not the writing, and the recipe model writes far faster.
    pipeline.language = None
    return MarkedScribe(scribe, log)


def marked_job(out: Path) -> WriteJob:
    """The job of the benchmark."""
    out.mkdir(parents=True, exist_ok=True)
    return WriteJob(out, BUNDLE, load=partial(load_marked, out / "log"))


def lead(engine: str, out: str, folder: str, workers: str, limit: str) -> None:
    """What the leading process does; `limit` is the seconds that a film may take."""
    with Job(marked_job(Path(out))) as job:
        job.manifest.add(films_of(folder, Path(out)))
        job.work(Crew(engine, int(workers), threads=1, timeout=float(limit)), Report())
