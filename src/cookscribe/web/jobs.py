"""The queue of films to be written about, as rows of the database: both processes see it, and it survives both."""

import json
import sqlite3
import time
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Literal

from cookscribe.errors import CookscribeError, MissingFileError
from cookscribe.recipe import Recipe
from cookscribe.web.again import laid_over
from cookscribe.web.faults import StaleError
from cookscribe.web.ingredients import joined, read_lines
from cookscribe.web.library import Library
from cookscribe.web.marks import Marked

State = Literal["queued", "running", "done", "failed", "cancelled"]
MOST_CRASHES = 2  # of the worker over one film


@dataclass(frozen=True)
class Job:
    """One film to be written about.

    `ingredients` are lines, with amounts where they were given; `error` holds subject, cause and advice of a failure.
    """

    id: int
    recipe: str
    state: State
    stage: str
    share: float
    ingredients: tuple[str, ...]
    title: str
    error: dict[str, str] | None
    created: float
    finished: float | None


def _job(row: sqlite3.Row) -> Job:
    known = {field.name: row[field.name] for field in fields(Job)}
    error = json.loads(row["error"]) if row["error"] else None
    return Job(**known | {"ingredients": tuple(json.loads(row["ingredients"])), "error": error})


class Jobs:
    """The jobs of a library."""

    def __init__(self, library: Library) -> None:
        self.library, self.db = library, library.db

    # Asked for by people

    def add(self, connection: sqlite3.Connection, recipe: str, ingredients: Sequence[str], title: str) -> int:
        """Queue a film, inside a transaction of the caller; gives the job's id."""
        busy = connection.execute(
            "SELECT 1 FROM jobs WHERE recipe = ? AND state IN ('queued', 'running')", (recipe,)
        ).fetchone()
        if busy:
            raise StaleError(recipe, "is being written already", "wait for the end, or cancel it")
        done = connection.execute(
            "INSERT INTO jobs (recipe, state, ingredients, title, created) VALUES (?, 'queued', ?, ?, ?)",
            (recipe, json.dumps(list(ingredients), ensure_ascii=False), title, time.time()),
        )
        assert done.lastrowid is not None
        return done.lastrowid

    def get(self, job: int) -> Job:
        """A job."""
        row = self.db.connection.execute("SELECT * FROM jobs WHERE id = ?", (job,)).fetchone()
        if row is None:
            raise MissingFileError(f"job {job}", "no such job", "its recipe may have been deleted")
        return _job(row)

    def latest(self, recipes: Sequence[str]) -> dict[str, Job]:
        """The last job of each recipe."""
        rows = self.db.connection.execute(
            "SELECT * FROM jobs WHERE id IN (SELECT max(id) FROM jobs WHERE recipe IN"
            f" ({','.join('?' * len(recipes))}) GROUP BY recipe)",
            tuple(recipes),
        )
        return {row["recipe"]: _job(row) for row in rows}

    def active(self) -> list[Job]:
        """What is queued or under way, in order."""
        rows = self.db.connection.execute("SELECT * FROM jobs WHERE state IN ('queued', 'running') ORDER BY id")
        return [_job(row) for row in rows]

    def cancel(self, job: int) -> bool:
        """Cancel a job; tells whether it was under way, so that somebody must stop the worker."""
        with self.db.writing() as connection:
            state = self.get(job).state
            if state in ("queued", "running"):
                self._end(connection, job, "cancelled")
        return state == "running"

    # Done by the worker

    def claim(self) -> Job | None:
        """The next film, now under way; None when there is nothing to do."""
        next_one = (
            "SELECT jobs.id FROM jobs JOIN recipes ON recipes.id = jobs.recipe"
            " WHERE state = 'queued' AND binned IS NULL ORDER BY jobs.id LIMIT 1"
        )
        # Asked several times a second: only what is there is worth a transaction.
        if self.db.connection.execute(next_one).fetchone() is None:
            return None
        with self.db.writing() as connection:
            row = connection.execute(next_one).fetchone()
            if row is None:
                return None
            connection.execute(
                "UPDATE jobs SET state = 'running', stage = 'starting', share = 0 WHERE id = ?", (row["id"],)
            )
        return self.get(row["id"])

    def report(self, job: int, stage: str, share: float) -> bool:
        """Note how far a job is; False once it is no longer wanted."""
        with self.db.writing() as connection:
            done = connection.execute(
                "UPDATE jobs SET stage = ?, share = ? WHERE id = ? AND state = 'running'",
                (stage, min(1.0, max(0.0, share)), job),
            )
        return bool(done.rowcount)

    def finish(self, job: Job, written: Recipe) -> None:
        """Keep the recipe of a job: at once where there was none, else as a proposal that waits for a person."""
        with self.db.writing() as connection:
            if self.get(job.id).state != "running":
                return
            now = self.library.get(job.recipe)
            _, given = read_lines(job.ingredients, now.marked.recipe.amounts)
            fields = {name: getattr(written, name) for name in Recipe.model_fields}
            fields |= {"amounts": joined(given, written), "video": now.marked.recipe.video}
            recipe = Recipe(**fields | {"title": job.title or now.marked.recipe.title})
            if not now.marked.recipe.steps:
                note = f"written by {_model(recipe)}"
                self.library.append(connection, job.recipe, Marked.fresh(recipe), "model", note)
            else:
                connection.execute(
                    "INSERT OR REPLACE INTO proposals (recipe, created, document) VALUES (?, ?, ?)",
                    (job.recipe, time.time(), json.dumps(recipe.model_dump(mode="json", exclude_none=True))),
                )
            self._end(connection, job.id, "done")

    def fail(self, job: int, error: CookscribeError) -> None:
        """Let a job end with a typed error."""
        with self.db.writing() as connection:
            if self.get(job).state == "running":
                self._end(connection, job, "failed", error)

    # Done by whoever watches the worker

    def return_orphans(self, *, crashed: bool) -> None:
        """What was under way in a worker that is gone goes back to the queue.

        Args:
            crashed: the worker died by itself. A film over which that happened twice is given up.
        """
        with self.db.writing() as connection:
            connection.execute(
                "UPDATE jobs SET state = 'queued', stage = '', share = 0, crashes = crashes + ?"
                " WHERE state = 'running'",
                (crashed,),
            )
            given_up = connection.execute(
                "SELECT jobs.id, film FROM jobs JOIN recipes ON recipes.id = jobs.recipe"
                " WHERE state = 'queued' AND crashes >= ?",
                (MOST_CRASHES,),
            ).fetchall()
            for row in given_up:
                cause = f"the program that reads films died over it {MOST_CRASHES} times"
                advice = "the film may be damaged or need more memory than there is; try another copy of it"
                self._end(connection, row["id"], "failed", CookscribeError(row["film"], cause, advice))

    # Proposals

    def proposal(self, recipe: str) -> tuple[Marked, Marked] | None:
        """The recipe as it is and as it would be with what was written again; None without that."""
        row = self.db.connection.execute("SELECT document FROM proposals WHERE recipe = ?", (recipe,)).fetchone()
        if row is None:
            return None
        now = self.library.get(recipe).marked
        job = self.latest([recipe]).get(recipe)
        return now, laid_over(now, Recipe.model_validate_json(row["document"]), title=job.title if job else "")

    def has_proposal(self, recipe: str) -> bool:
        """Whether something written again waits for a person."""
        return bool(self.db.connection.execute("SELECT 1 FROM proposals WHERE recipe = ?", (recipe,)).fetchone())

    def settle(self, recipe: str, *, apply: bool) -> None:
        """Take a proposal, or throw it away."""
        with self.db.writing() as connection:
            found = self.proposal(recipe)
            if found is None:
                raise MissingFileError(recipe, "nothing was written again", "write it again first")
            if apply:
                note = f"written again by {_model(found[1].recipe)}; corrected steps kept"
                self.library.append(connection, recipe, found[1], "model", note)
            connection.execute("DELETE FROM proposals WHERE recipe = ?", (recipe,))

    def _end(
        self, connection: sqlite3.Connection, job: int, state: State, error: CookscribeError | None = None
    ) -> None:
        told = None if error is None else json.dumps(vars(error), ensure_ascii=False)
        connection.execute(
            "UPDATE jobs SET state = ?, error = ?, finished = ?, share = CASE WHEN ? = 'done' THEN 1 ELSE share END"
            " WHERE id = ?",
            (state, told, time.time(), state, job),
        )


def _model(recipe: Recipe) -> str:
    return recipe.made_by.model or recipe.made_by.program
