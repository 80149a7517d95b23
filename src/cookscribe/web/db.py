"""The library's database: SQLite with a write-ahead log, one connection a thread, migrations with a version.

Server and worker are two processes on one file. Readers never wait; writers take turns.
"""

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cookscribe.errors import BadFileError
from cookscribe.files import unwritable

# One script a version, in order; what stands here never changes, only grows. Times are seconds since 1970.
MIGRATIONS: tuple[str, ...] = (
    """
    CREATE TABLE recipes (
        number INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        title TEXT NOT NULL,
        film TEXT NOT NULL,
        duration REAL NOT NULL,
        steps INTEGER NOT NULL,
        unsure INTEGER NOT NULL,
        checked INTEGER NOT NULL,
        revision INTEGER NOT NULL,
        created REAL NOT NULL,
        changed REAL NOT NULL,
        binned REAL
    );
    CREATE INDEX recipes_by_age ON recipes (binned, created DESC, number DESC);
    CREATE INDEX recipes_by_title ON recipes (binned, title COLLATE NOCASE, number);
    CREATE TABLE revisions (
        key INTEGER PRIMARY KEY,
        recipe TEXT NOT NULL REFERENCES recipes (id) ON DELETE CASCADE,
        number INTEGER NOT NULL,
        created REAL NOT NULL,
        author TEXT NOT NULL CHECK (author IN ('upload', 'model', 'person')),
        note TEXT NOT NULL,
        document TEXT NOT NULL,
        marks TEXT NOT NULL,
        UNIQUE (recipe, number)
    );
    CREATE TABLE jobs (
        id INTEGER PRIMARY KEY,
        recipe TEXT NOT NULL REFERENCES recipes (id) ON DELETE CASCADE,
        state TEXT NOT NULL CHECK (state IN ('queued', 'running', 'done', 'failed', 'cancelled')),
        stage TEXT NOT NULL DEFAULT '',
        share REAL NOT NULL DEFAULT 0,
        crashes INTEGER NOT NULL DEFAULT 0,
        ingredients TEXT NOT NULL,
        title TEXT NOT NULL DEFAULT '',
        error TEXT,
        created REAL NOT NULL,
        finished REAL
    );
    CREATE INDEX jobs_by_recipe ON jobs (recipe, id);
    CREATE INDEX jobs_by_state ON jobs (state, id);
    CREATE TABLE proposals (
        recipe TEXT PRIMARY KEY REFERENCES recipes (id) ON DELETE CASCADE,
        created REAL NOT NULL,
        document TEXT NOT NULL
    );
    CREATE TABLE uploads (
        id TEXT PRIMARY KEY,
        name TEXT NOT NULL,
        size INTEGER NOT NULL,
        ingredients TEXT NOT NULL,
        title TEXT NOT NULL,
        created REAL NOT NULL
    );
    CREATE TABLE sessions (token TEXT PRIMARY KEY, ends REAL NOT NULL);
    CREATE TABLE settings (name TEXT PRIMARY KEY, value BLOB NOT NULL);
    CREATE VIRTUAL TABLE words USING fts5 (
        title, ingredients, steps, tokenize = 'porter unicode61 remove_diacritics 2', prefix = '2 3'
    );
    """,
)


class Database:
    """A file of SQLite, made or brought to the newest version when it is opened."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._local = threading.local()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._migrate()
        except OSError as error:
            raise unwritable(path, error) from None
        except sqlite3.DatabaseError as error:
            raise BadFileError(path, f"is not a library of cookscribe: {error}", "choose another --library") from None

    @property
    def connection(self) -> sqlite3.Connection:
        """The connection of this thread."""
        found: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if found is None:
            found = self._local.connection = self.connect()
        return found

    def connect(self) -> sqlite3.Connection:
        """A connection of its own, without transactions that begin by themselves."""
        connection = sqlite3.connect(self.path, timeout=20.0, isolation_level=None)
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA journal_mode = WAL")
        # What is committed survives the loss of power, too.
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        return connection

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction: all of it is kept, or nothing."""
        connection = self.connection
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield connection
        except BaseException:
            connection.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")

    def _migrate(self) -> None:
        with self.writing() as connection:
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            if version > len(MIGRATIONS):
                raise BadFileError(self.path, f"was made by a newer cookscribe (version {version})", "update it")
            for script in MIGRATIONS[version:]:
                for statement in filter(str.strip, script.split(";")):
                    connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
