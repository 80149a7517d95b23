"""`Manifest`: what has become of every film of a job, in a SQLite file that survives the death of whoever writes it.

    waiting -> running -> done       its recipe is in the table
                       -> failed     a typed error: a second try would give the same
                       -> waiting    its worker died, hung or was too slow, for the first time
                       -> aside      for the second time: it is named at the end and holds nobody up

Only the process that leads the job writes here; others may read along. Every change is one transaction (write-ahead
log), so a kill leaves the state before it or the state after it. A film in hand counts as tried from the moment it is
taken: one that takes down everything, this process too, is set aside by the second run and not tried for ever.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from cookscribe.batch.films import Film
from cookscribe.errors import BadFileError, BadValueError, CookscribeError
from cookscribe.files import unwritable
from cookscribe.text.printable import printable

State = Literal["waiting", "running", "done", "failed", "aside"]
NAME = "manifest.sqlite"
LOCK = "lock.sqlite"
MOST_TRIES = 2
ENDED = "ended"  # the kind of a failure that took the whole run with it
_VERSION = 1
_TABLES = """
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE films (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, path TEXT NOT NULL, given TEXT NOT NULL DEFAULT '',
    state TEXT NOT NULL DEFAULT 'waiting', tries INTEGER NOT NULL DEFAULT 0,
    kind TEXT, error TEXT, cause TEXT, advice TEXT,
    worker TEXT, seconds TEXT, part INTEGER, ends INTEGER
);
CREATE INDEX films_waiting ON films (tries, id) WHERE state = 'waiting';
CREATE INDEX films_failed ON films (kind, id) WHERE state IN ('failed', 'aside');
CREATE INDEX films_parts ON films (part) WHERE part IS NOT NULL;
CREATE INDEX films_running ON films (id) WHERE state = 'running';
"""


@dataclass(frozen=True)
class Failure:
    """A film that has no recipe: its path, the state it is in, how it failed, and the typed reason."""

    path: str
    state: State
    kind: str
    error: str
    cause: str
    advice: str
    tries: int


@dataclass(frozen=True)
class Place:
    """The end of the table of recipes: its last part, and the rows and bytes of that."""

    part: int = 0
    rows: int = 0
    bytes: int = 0


class Manifest:
    """The films of a job and their states. It is a `Source` of films: those that wait, untried ones first.

    Args:
        folder: of the job; the file is made where there is none.
        job: what the job is, as JSON; a folder that was begun with another one is refused.
    """

    def __init__(self, folder: Path, job: dict[str, Any]) -> None:
        self.path = folder / NAME
        try:
            folder.mkdir(parents=True, exist_ok=True)
            # Held until this process ends, however it ends; a second run in the same folder would take the same films.
            self._lock = sqlite3.connect(folder / LOCK, timeout=0, isolation_level=None)
            self._database = sqlite3.connect(self.path, timeout=60, isolation_level=None)
        except (OSError, sqlite3.OperationalError) as error:
            raise unwritable(self.path, OSError(str(error))) from None
        try:
            self._lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError:
            self.close()
            raise BadValueError(
                folder, "another run is at work there", "wait for it, or choose another --out"
            ) from None
        try:
            self._open(job)
            self._count()
        except sqlite3.DatabaseError as error:
            self.close()
            raise BadFileError(self.path, f"is not a manifest: {error}", "choose another --out") from None
        except CookscribeError:
            self.close()
            raise

    def _open(self, job: dict[str, Any]) -> None:
        # Safe against the death of the process; a power cut may lose the last films, which are then done again.
        self._database.execute("PRAGMA journal_mode = WAL")
        self._database.execute("PRAGMA synchronous = NORMAL")
        wanted = {"version": json.dumps(_VERSION), "job": json.dumps(job, sort_keys=True)}
        with self._change():
            if not self._database.execute("SELECT 1 FROM sqlite_master WHERE name = 'about'").fetchone():
                for statement in _TABLES.split(";"):
                    self._database.execute(statement)
                self._database.executemany("INSERT INTO about VALUES (?, ?)", wanted.items())
        found = dict(self._database.execute("SELECT name, value FROM about"))
        if found.get("version") != wanted["version"]:
            raise BadFileError(self.path, "is of another version of cookscribe", "choose another --out")
        if found["job"] != wanted["job"]:
            before = json.loads(found["job"])
            other = sorted(name for name in before.keys() | job.keys() if before.get(name) != job.get(name))
            said = ", ".join(f"{name} was {before.get(name)}" for name in other)
            raise BadValueError(self.path.parent, f"was begun otherwise: {said}", "choose another --out")

    @contextmanager
    def _change(self) -> Iterator[None]:
        try:
            self._database.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                # Where the disk is full SQLite has taken it back already.
                with suppress(sqlite3.OperationalError):
                    self._database.execute("ROLLBACK")
                raise
            self._database.execute("COMMIT")
        except sqlite3.OperationalError as error:
            raise unwritable(self.path, OSError(str(error))) from None

    def _count(self) -> None:
        found = self._database.execute("SELECT state, COUNT(*) FROM films GROUP BY state")
        self.counts: dict[State, int] = {"waiting": 0, "running": 0, "done": 0, "failed": 0, "aside": 0}
        self.counts.update(found.fetchall())

    def _move(self, key: str, before: tuple[State, ...], after: State, **values: Any) -> None:
        """Bring a film from one state to another, in one transaction."""
        with self._change():
            row = self._database.execute("SELECT id, state FROM films WHERE key = ?", (key,)).fetchone()
            if row is None or row[1] not in before:
                raise ValueError(f"{key} cannot become {after}: it is {row and row[1]}")
            changes = ", ".join(f"{name} = ?" for name in values)
            self._database.execute(
                f"UPDATE films SET state = ?{', ' if changes else ''}{changes} WHERE id = ?",
                (after, *values.values(), row[0]),
            )
        self.counts[row[1]] -= 1
        self.counts[after] += 1

    def add(self, films: Iterable[Film]) -> int:
        """Add films that are not there yet, all or none; returns how many. Those there stay as they are."""
        before = self._database.total_changes
        with self._change():
            rows = ((film.key, _stored(film.path), _given(film)) for film in films)
            self._database.executemany("INSERT OR IGNORE INTO films (key, path, given) VALUES (?, ?, ?)", rows)
        added = self._database.total_changes - before
        self.counts["waiting"] += added
        return added

    def __len__(self) -> int:
        """How many films wait."""
        return self.counts["waiting"]

    def popleft(self) -> Film:
        """The next film; it is running from now on, and tried once more."""
        query = "SELECT key, path, given, tries FROM films WHERE state = 'waiting' ORDER BY tries, id LIMIT 1"
        row = self._database.execute(query).fetchone()
        if row is None:
            raise IndexError("no film waits")
        key, path, given, tries = row
        self._move(key, ("waiting",), "running", tries=tries + 1, worker=None)
        return _film(path, given)

    def done(self, film: Film, seconds: dict[str, float], worker: str, end: Place) -> None:
        """The recipe of a film is in the table, which now ends at `end`."""
        shown = json.dumps({name: round(value, 4) for name, value in seconds.items()})
        cleared = {"kind": None, "error": None, "cause": None, "advice": None}
        values = {"seconds": shown, "worker": worker, "part": end.part, "ends": end.bytes}
        self._move(film.key, ("running", "waiting"), "done", **cleared, **values)

    def fail(self, film: Film, kind: str, error: CookscribeError, worker: str, *, final: bool) -> State:
        """A try went wrong; returns what the film is now. `final` says that another would go the same way."""
        (tries,) = self._database.execute("SELECT tries FROM films WHERE key = ?", (film.key,)).fetchone()
        after: State = "failed" if final else "aside" if tries >= MOST_TRIES else "waiting"
        reason = {"error": type(error).__name__, "cause": error.cause, "advice": error.advice}
        self._move(film.key, ("running",), after, kind=kind, worker=worker, **reason)
        return after

    def put_back(self, film: Film) -> None:
        """A film in hand waits again, as if it had not been taken: it was interrupted, and that is not its fault."""
        (tries,) = self._database.execute("SELECT tries FROM films WHERE key = ?", (film.key,)).fetchone()
        self._move(film.key, ("running",), "waiting", tries=tries - 1)

    def running(self) -> list[Film]:
        """The films in hand, or those that were when a run was killed."""
        rows = self._database.execute("SELECT path, given FROM films WHERE state = 'running' ORDER BY id")
        return [_film(path, given) for path, given in rows.fetchall()]

    def state(self, film: Film) -> State | None:
        """What a film is; None if it is not there."""
        row = self._database.execute("SELECT state FROM films WHERE key = ?", (film.key,)).fetchone()
        return row[0] if row else None

    def again(self) -> int:
        """Let all films that failed or were set aside wait again, as if untried; returns how many."""
        with self._change():
            changed = self._database.execute(
                "UPDATE films SET state = 'waiting', tries = 0 WHERE state IN ('failed', 'aside')"
            ).rowcount
        self._count()
        return changed

    def table_end(self) -> Place:
        """Where the table ends, as far as films are known to be in it."""
        part = self._database.execute("SELECT MAX(part) FROM films WHERE part IS NOT NULL").fetchone()[0] or 0
        rows, size = self._database.execute("SELECT COUNT(*), MAX(ends) FROM films WHERE part = ?", (part,)).fetchone()
        return Place(part, rows, size or 0)

    def forget_after(self, part: int, size: int) -> int:
        """Films whose recipes a power cut took from the table wait again; returns how many."""
        with self._change():
            changed = self._database.execute(
                "UPDATE films SET state = 'waiting', tries = 0, part = NULL, ends = NULL WHERE part = ? AND ends > ?",
                (part, size),
            ).rowcount
        self._count()
        return changed

    def kinds(self) -> dict[str, int]:
        """How many films failed or were set aside, by kind."""
        query = "SELECT kind, COUNT(*) FROM films WHERE state IN ('failed', 'aside') GROUP BY kind ORDER BY 2 DESC"
        return dict(self._database.execute(query))

    def failures(self, most: int | None = None) -> list[Failure]:
        """The films without a recipe, with the reasons; the first `most` of them."""
        names = "path, state, kind, error, cause, advice, tries"
        rows = self._database.execute(f"SELECT {names} FROM films WHERE state IN ('failed', 'aside') ORDER BY kind, id")
        return [Failure(printable(os.fsdecode(path)), *rest) for path, *rest in islice(rows, most)]

    def stage_seconds(self) -> dict[str, float]:
        """Seconds that the stages of all films together took, of those that are done."""
        query = "SELECT s.key, SUM(s.value) FROM films, json_each(films.seconds) s WHERE state = 'done' GROUP BY s.key"
        return dict(self._database.execute(query))

    def close(self) -> None:
        """Close the file and let others lead the job."""
        self._database.close()
        self._lock.close()


def _stored(path: Path) -> str | bytes:
    """A name that is no text is kept as its bytes; opening the film says what is wrong with it."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        return os.fsencode(path)
    return str(path)


def _given(film: Film) -> str:
    given = {"title": film.title, "ingredients": film.ingredients, "transcript": film.transcript}
    return json.dumps(given, ensure_ascii=False) if any(given.values()) else ""


def _film(path: str | bytes, given: str) -> Film:
    values = json.loads(given) if given else {}
    return Film(
        Path(os.fsdecode(path)),
        values.get("title", ""),
        tuple(values.get("ingredients", ())),
        values.get("transcript", ""),
    )
