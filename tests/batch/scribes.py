"""Scribes for the tests of many films: they read nothing, and do what the name of a film says. Also run as a script.

python scribes.py OUT LIST ENGINE: leads a job with two workers, to be killed from outside.
"""

import os
import signal
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

from cookscribe.batch.engine import Crew
from cookscribe.batch.films import films_of
from cookscribe.batch.job import WriteJob
from cookscribe.batch.report import Report
from cookscribe.batch.run import Job
from cookscribe.errors import BadFileError
from cookscribe.pipelines.base import Stage
from cookscribe.recipe import MadeBy, Recipe, Span, Step, Video
from cookscribe.scribe import Scribe
from cookscribe.video import VideoFile


class MarkedScribe:
    """Notes every try and every recipe in `log`, a line each with its process."""

    def __init__(self, log: Path, slow: float = 0.0) -> None:
        self.log, self.slow = log, slow

    def write(self, video: VideoFile, ingredients: Any, title: Any, *, transcript: Any, stage: Stage) -> Recipe:
        name = video.path.stem
        self.note("begun", name)
        stage("watching", 0.0)
        time.sleep(self.slow)
        if name.startswith("kill") or (name.startswith("once") and self.tries(name) == 1):
            os.kill(os.getpid(), signal.SIGKILL)
        if name.startswith("hang"):
            time.sleep(600)
        if name.startswith("bug"):
            raise ZeroDivisionError("a mistake of ours")
        if name.startswith("bad"):
            raise BadFileError(video.path, "is not a film", "try another")
        stage("writing", 0.0)
        self.note("written", name)
        said = " ".join(transcript.words) if transcript is not None else "stir"
        return Recipe(
            title=title or name,
            ingredients=tuple(ingredients),
            steps=(Step(span=Span(start=0.0, end=1.0), sentence=said, confidence=0.5, actions=("stir",)),),
            video=Video(name=video.path.name, duration=1.0),
            made_by=MadeBy(model="marked"),
        )

    def note(self, what: str, name: str) -> None:
        with self.log.open("a") as file:
            file.write(f"{what} {name} {os.getpid()}\n")

    def tries(self, name: str) -> int:
        return sum(line.startswith(f"begun {name} ") for line in self.log.read_text().splitlines())


def load(log: Path, slow: float = 0.0) -> Scribe:
    return MarkedScribe(log, slow)  # type: ignore[return-value]


def marked_job(out: Path, slow: float = 0.0, formats: tuple[str, ...] = ()) -> WriteJob:
    out.mkdir(exist_ok=True)
    (out / "log").touch()
    return WriteJob(out, model="marked", formats=formats, load=partial(load, out / "log", slow))


if __name__ == "__main__":
    with Job(marked_job(Path(sys.argv[1]), slow=0.05)) as opened:
        opened.manifest.add(films_of(sys.argv[2], Path(sys.argv[1])))
        opened.work(Crew(sys.argv[3], workers=2, timeout=60.0), Report())
