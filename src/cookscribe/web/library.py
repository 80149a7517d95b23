"""The recipes of a library: kept with all their revisions, listed, searched, put into the bin.

Every change is one transaction: a recipe, its newest revision and its words for the search change together or not at
all. A document is never changed in place; saving adds a revision.
"""

import json
import re
import sqlite3
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from cookscribe.errors import MissingFileError
from cookscribe.recipe import Recipe
from cookscribe.web.db import Database
from cookscribe.web.faults import StaleError
from cookscribe.web.marks import MARKS, Marked, RecipeEdit, described, edited
from cookscribe.web.places import Places

Author = Literal["upload", "model", "person"]
Order = Literal["newest", "title"]
MOST_WORDS = 12  # of a search


@dataclass(frozen=True)
class Kept:
    """A recipe as it is now, or as it was at a revision."""

    id: str
    revision: int
    author: Author
    created: float
    changed: float
    binned: float | None
    film: str
    marked: Marked


@dataclass(frozen=True)
class Summary:
    """What the shelf shows of a recipe."""

    id: str
    title: str
    film: str
    duration: float
    steps: int
    unsure: int
    checked: bool
    revision: int
    created: float
    changed: float
    binned: float | None


@dataclass(frozen=True)
class Revision:
    """One save: its number, who did it, and what changed."""

    number: int
    created: float
    author: Author
    note: str


class Library:
    """A folder of films and the database of their recipes."""

    def __init__(self, folder: Path) -> None:
        self.places = Places(folder)
        self.db = Database(self.places.database)
        self.places.make()

    # Reading

    def get(self, recipe: str, revision: int | None = None) -> Kept:
        """A recipe, as it is or as it was."""
        row = self.db.connection.execute(
            "SELECT recipes.*, revisions.number AS shown, author, document, marks FROM recipes JOIN revisions"
            " ON revisions.recipe = recipes.id AND revisions.number = coalesce(?, recipes.revision)"
            " WHERE recipes.id = ?",
            (revision, recipe),
        ).fetchone()
        if row is None:
            what = "no such recipe" if revision is None else f"no such recipe, or no revision {revision} of it"
            raise MissingFileError(recipe, what, "it may have been deleted")
        marked = Marked(Recipe.model_validate_json(row["document"]), MARKS.validate_json(row["marks"]))
        return Kept(
            row["id"], row["shown"], row["author"], row["created"], row["changed"], row["binned"], row["film"], marked
        )

    def shelf(
        self, search: str = "", *, binned: bool = False, order: Order = "newest", limit: int = 48, offset: int = 0
    ) -> tuple[int, list[Summary]]:
        """How many recipes there are, and a page of them; the words of a search must all be there, in any order."""
        where = f"binned IS {'NOT' if binned else ''} NULL"
        values: list[object] = []
        if search.strip():
            words = re.findall(r"\w+", search)[:MOST_WORDS]
            if not words:
                return 0, []
            where += " AND number IN (SELECT rowid FROM words WHERE words MATCH ?)"
            values.append(" ".join(f'"{word}"*' for word in words))
        by = "title COLLATE NOCASE, number" if order == "title" else "created DESC, number DESC"
        (count,) = self.db.connection.execute(f"SELECT count(*) FROM recipes WHERE {where}", values).fetchone()
        rows = self.db.connection.execute(
            "SELECT id, title, film, duration, steps, unsure, checked, revision, created, changed, binned"
            f" FROM recipes WHERE {where} ORDER BY {by} LIMIT ? OFFSET ?",
            (*values, limit, offset),
        )
        return count, [Summary(**{**dict(row), "checked": bool(row["checked"])}) for row in rows]

    def revisions(self, recipe: str) -> list[Revision]:
        """All saves of a recipe, the newest first."""
        rows = self.db.connection.execute(
            "SELECT number, created, author, note FROM revisions WHERE recipe = ? ORDER BY number DESC", (recipe,)
        ).fetchall()
        if not rows:
            raise MissingFileError(recipe, "no such recipe", "it may have been deleted")
        return [Revision(**dict(row)) for row in rows]

    def checked(self, *, partly: bool = False) -> Iterator[Kept]:
        """Recipes of which a person saw to every step; with `partly`, to at least one."""
        rows = self.db.connection.execute(
            "SELECT id FROM recipes WHERE binned IS NULL AND (checked OR ?) ORDER BY number", (partly,)
        ).fetchall()
        for row in rows:
            kept = self.get(row["id"])
            if any(mark.kept for mark in kept.marked.marks):
                yield kept

    # Writing

    def add(self, connection: sqlite3.Connection, recipe: str, film: str, document: Recipe, note: str) -> None:
        """Put a new recipe on the shelf, inside a transaction of the caller."""
        now = time.time()
        connection.execute(
            "INSERT INTO recipes (id, title, film, duration, steps, unsure, checked, revision, created, changed)"
            " VALUES (?, ?, ?, ?, 0, 0, 0, 0, ?, ?)",
            (recipe, document.title, film, document.video.duration, now, now),
        )
        self.append(connection, recipe, Marked.fresh(document), "upload", note)

    def append(self, connection: sqlite3.Connection, recipe: str, marked: Marked, author: Author, note: str) -> int:
        """Add a revision and make it the recipe as it is now, inside a transaction of the caller; gives its number."""
        row = connection.execute("SELECT number, revision FROM recipes WHERE id = ?", (recipe,)).fetchone()
        if row is None:
            raise MissingFileError(recipe, "no such recipe", "it may have been deleted")
        number, now, document = int(row["revision"]) + 1, time.time(), marked.recipe
        connection.execute(
            "INSERT INTO revisions (recipe, number, created, author, note, document, marks)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                recipe,
                number,
                now,
                author,
                note,
                json.dumps(document.model_dump(mode="json", exclude_none=True), ensure_ascii=False),
                MARKS.dump_json(marked.marks).decode(),
            ),
        )
        unsure = sum(step.unsure and not mark.kept for step, mark in zip(document.steps, marked.marks, strict=True))
        connection.execute(
            "UPDATE recipes SET title = ?, steps = ?, unsure = ?, checked = ?, revision = ?, changed = ? WHERE id = ?",
            (document.title, len(document.steps), unsure, marked.checked, number, now, recipe),
        )
        connection.execute("DELETE FROM words WHERE rowid = ?", (row["number"],))
        connection.execute(
            "INSERT INTO words (rowid, title, ingredients, steps) VALUES (?, ?, ?, ?)",
            (
                row["number"],
                document.title,
                "\n".join(document.ingredients),
                "\n".join(step.sentence for step in document.steps),
            ),
        )
        return number

    def save(self, recipe: str, edit: RecipeEdit) -> Kept:
        """Keep what a person edited; without a change no revision is made."""
        with self.db.writing() as connection:
            before = self.get(recipe)
            if before.revision != edit.revision:
                raise StaleError(
                    before.marked.recipe.title,
                    f"somebody saved in between: it is at revision {before.revision}, not {edit.revision}",
                    "load it again and repeat your change",
                )
            after = edited(before.marked, edit)
            if note := described(before.marked, after):
                self.append(connection, recipe, after, "person", note)
        return self.get(recipe)

    def restore(self, recipe: str, revision: int) -> Kept:
        """Make an earlier revision the newest one."""
        with self.db.writing() as connection:
            earlier = self.get(recipe, revision)
            self.append(connection, recipe, earlier.marked, "person", f"back to revision {revision}")
        return self.get(recipe)

    # The bin

    def put_in_bin(self, recipe: str, *, binned: bool = True) -> None:
        """Put a recipe into the bin, or take it out."""
        with self.db.writing() as connection:
            done = connection.execute(
                "UPDATE recipes SET binned = ? WHERE id = ?", (time.time() if binned else None, recipe)
            )
            if not done.rowcount:
                raise MissingFileError(recipe, "no such recipe", "it may have been deleted")

    def delete(self, recipes: Sequence[str] | None = None) -> int:
        """Delete recipes for good that are in the bin, or all that are there; gives how many.

        Rows go first: files that nobody names any more are swept away when the server starts.
        """
        with self.db.writing() as connection:
            found = [row["id"] for row in connection.execute("SELECT id FROM recipes WHERE binned IS NOT NULL")]
            if recipes is not None:
                if set(recipes) - set(found):
                    raise StaleError(recipes[0], "is not in the bin", "put it there first")
                found = [recipe for recipe in found if recipe in recipes]
            for recipe in found:
                connection.execute(
                    "DELETE FROM words WHERE rowid = (SELECT number FROM recipes WHERE id = ?)", (recipe,)
                )
                connection.execute("DELETE FROM recipes WHERE id = ?", (recipe,))
        for recipe in found:
            self.places.remove(recipe)
        return len(found)
