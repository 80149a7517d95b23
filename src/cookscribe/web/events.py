"""News for the browsers: one look into the database for all of them, sent to each as server-sent events."""

import asyncio
import json
import sqlite3
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

from cookscribe.web.faults import TooManyError
from cookscribe.web.jobs import Job, Jobs

LOOK = 0.2  # seconds between two looks
BEAT = 15.0  # seconds after which something is sent even if nothing happened, so that dead connections show
MOST_WATCHERS = 500
MOST_WAITING = 200  # news that a slow browser may be behind; then it is let go, and comes back by itself


def job_news(job: Job) -> dict[str, Any]:
    """What a browser is told of a job."""
    return {
        "id": job.id,
        "recipe": job.recipe,
        "state": job.state,
        "stage": job.stage,
        "share": round(job.share, 3),
        "error": job.error,
        "created": job.created,
        "finished": job.finished,
    }


class News:
    """Watches the database while somebody listens."""

    def __init__(self, jobs: Jobs) -> None:
        self.jobs = jobs
        self._watchers: set[asyncio.Queue[str | None]] = set()
        self._task: asyncio.Task[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def check_room(self) -> None:
        """Refuse one more browser than can be told the news."""
        if len(self._watchers) >= MOST_WATCHERS:
            raise TooManyError("events", f"{len(self._watchers)} pages are watching", "close some of them")

    async def listen(self) -> AsyncIterator[str]:
        """The events for one browser, beginning with what is under way."""
        queue: asyncio.Queue[str | None] = asyncio.Queue(MOST_WAITING)
        self._watchers.add(queue)
        self._loop = asyncio.get_running_loop()
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._watch())
        try:
            yield "retry: 1000\n\n"
            for job in self.jobs.active():
                yield _event("job", job_news(job))
            while True:
                try:
                    event = await asyncio.wait_for(queue.get(), BEAT)
                except TimeoutError:
                    event = ": still here\n\n"
                if event is None:
                    return
                yield event
        finally:
            self._watchers.discard(queue)

    def end(self) -> None:
        """Let all browsers go, from any thread: a server waits for its last answer before it ends."""
        if self._loop is not None and not self._loop.is_closed():
            for queue in tuple(self._watchers):
                self._loop.call_soon_threadsafe(_put, queue, None)

    async def close(self) -> None:
        """Stop looking."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    async def _watch(self) -> None:
        # A connection of its own sees every change that others make by its version.
        connection = self.jobs.db.connect()
        try:
            version, known = -1, {job.id: job for job in self.jobs.active()}
            (last,) = connection.execute("SELECT coalesce(max(key), 0) FROM revisions").fetchone()
            (newest,) = connection.execute("SELECT coalesce(max(id), 0) FROM jobs").fetchone()
            while self._watchers:
                (now,) = connection.execute("PRAGMA data_version").fetchone()
                if now != version:
                    version = now
                    known, last, newest = self._tell(connection, known, last, newest)
                await asyncio.sleep(LOOK)
        finally:
            connection.close()

    def _tell(
        self, connection: sqlite3.Connection, known: dict[int, Job], last: int, newest: int
    ) -> tuple[dict[int, Job], int, int]:
        """Tell what has changed since `known` jobs, the `last` revision and the `newest` job were told."""
        # Recipes first: who hears that a job is done can read what it wrote.
        rows = connection.execute("SELECT key, recipe, number FROM revisions WHERE key > ? ORDER BY key", (last,))
        for row in rows.fetchall():
            self._send(_event("recipe", {"id": row["recipe"], "revision": row["number"]}))
            last = row["key"]
        # A short job may begin and end between two looks.
        new = {row["id"] for row in connection.execute("SELECT id FROM jobs WHERE id > ?", (newest,)).fetchall()}
        active = {job.id: job for job in self.jobs.active()}
        for key, job in active.items():
            if known.get(key) != job:
                self._send(_event("job", job_news(job)))
        for key in sorted((known.keys() | new) - active.keys()):
            with suppress(Exception):  # deleted with its recipe
                self._send(_event("job", job_news(self.jobs.get(key))))
        return active, last, max((newest, *new))

    def _send(self, event: str) -> None:
        for queue in tuple(self._watchers):
            _put(queue, event)


def _put(queue: asyncio.Queue[str | None], event: str | None) -> None:
    if queue.full():
        # Nobody reads: the connection ends, and the browser asks anew.
        while not queue.empty():
            queue.get_nowait()
        event = None
    queue.put_nowait(event)


def _event(name: str, value: dict[str, Any]) -> str:
    return f"event: {name}\ndata: {json.dumps(value, ensure_ascii=False)}\n\n"
