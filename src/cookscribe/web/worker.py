"""The worker: a process that writes one recipe after another and notes in the database how far it is.

    python -m cookscribe.web.worker LIBRARY [MODEL [RECOGNISER]]

It ends when its standard input does, that is, when the server is gone. The models are loaded once.
"""

import os
import sys
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from cookscribe.errors import CookscribeError
from cookscribe.export.pictures import picture_time
from cookscribe.recipe import Recipe
from cookscribe.web.ingredients import read_lines
from cookscribe.web.jobs import Job, Jobs
from cookscribe.web.library import Library
from cookscribe.web.locks import held
from cookscribe.web.looking import jpegs

if TYPE_CHECKING:
    from cookscribe.scribe import Scribe

REST = 0.3  # seconds between two looks into an empty queue
OFTEN = 0.25  # seconds between two notes of progress

Stage = Callable[[str, float], None]
Write = Callable[[Path, tuple[str, ...], str, Stage], Recipe]


class Unwanted(Exception):
    """The job was cancelled while it was under way."""


def scribe(model: str = "auto", recogniser: str | None = None) -> Write:
    """What writes with a bundle, and hears with a recogniser; the models are loaded for the first film."""
    found: list[Scribe] = []

    def write(film: Path, ingredients: tuple[str, ...], title: str, stage: Stage) -> Recipe:
        from cookscribe.scribe import load

        if not found:
            stage("loading", 0.0)
            found.append(load(model, recogniser=recogniser))
        return found[0].write(film, ingredients, title, stage=stage)

    return write


def work(library: Library, write: Write) -> None:
    """Take jobs from the queue for ever."""
    jobs = Jobs(library)
    while True:
        job = jobs.claim()
        if job is not None:
            do(jobs, job, write)
        else:
            time.sleep(REST)


def do(jobs: Jobs, job: Job, write: Write) -> None:
    """Do one job to its end, whatever that is."""
    places = jobs.library.places
    noted = (0.0, "")

    def stage(name: str, share: float) -> None:
        nonlocal noted
        now = time.monotonic()
        if name != noted[1] or share >= 1.0 or now - noted[0] > OFTEN:
            noted = (now, name)
            if not jobs.report(job.id, name, share):
                raise Unwanted

    film = places.film(job.recipe)
    kept = jobs.library.get(job.recipe)
    name = kept.film
    try:
        if film is None:
            raise CookscribeError(name, "its file is no longer in the library", "upload it again")
        names, _ = read_lines(job.ingredients)
        recipe = write(film, names, job.title or kept.marked.recipe.title, stage)
        stage("pictures", 0.0)
        with suppress(CookscribeError):
            take_pictures(jobs.library, job.recipe, film, recipe)
        jobs.finish(job, recipe)
    except Unwanted:
        return
    except CookscribeError as error:
        here = str(film or "")
        parts = (part.replace(here, name) if here else part for part in (error.subject, error.cause, error.advice))
        jobs.fail(job.id, type(error)(*parts))
    except Exception as error:
        traceback.print_exc()
        cause = f"cookscribe stopped with an error of its own: {type(error).__name__}: {error}"
        jobs.fail(job.id, CookscribeError(name, cause[:500], "this is a fault of the program; please report it"))


def take_pictures(library: Library, recipe: str, film: Path, document: Recipe) -> None:
    """The pictures of all steps, and the last one as that of the shelf: there the dish is done."""
    places = library.places
    wanted = {places.picture(recipe, picture_time(step)): picture_time(step) for step in document.steps}
    if document.steps:
        wanted[places.poster(recipe)] = picture_time(document.steps[-1])
    jpegs(
        film, {path: seconds for path, seconds in wanted.items() if path == places.poster(recipe) or not path.exists()}
    )


def end_with_the_server() -> None:
    """Leave this process as soon as whoever holds the other end of standard input is gone."""

    def wait() -> None:
        with suppress(OSError, ValueError):
            while sys.stdin.buffer.read(1):
                pass
        os._exit(0)

    threading.Thread(target=wait, daemon=True).start()


def main(folder: Path, write: Write) -> None:
    """The process: one at a time in a library."""
    end_with_the_server()
    library = Library(folder)
    # A worker whose server was killed may be in its last moments.
    with held(library.places.folder / "worker.lock", wait=True):
        work(library, write)


if __name__ == "__main__":
    main(Path(sys.argv[1]), scribe(*sys.argv[2:]))
