"""Films on their way in: streamed to disk within a limit, gone on with after a break, checked before they are kept.

The id of an upload becomes that of the recipe, so that taking a film in can be repeated: a crash at any moment leaves
either an upload that can be gone on with or a recipe in the queue.
"""

import json
import os
import shutil
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from anyio.to_thread import run_sync

from cookscribe.errors import BadFileError, CookscribeError, MissingFileError
from cookscribe.files import FULL, write_bytes
from cookscribe.recipe import Recipe, Video
from cookscribe.scribe import title_of
from cookscribe.text.printable import one_line, printable
from cookscribe.video.container import ADVICE, SNIFFED_BYTES, sniff
from cookscribe.web.faults import NoRoomError, NotAFilmError, StaleError, TooLargeError, TooManyError
from cookscribe.web.ingredients import read_lines
from cookscribe.web.jobs import Jobs
from cookscribe.web.library import Library
from cookscribe.web.looking import probe_film
from cookscribe.web.places import SUBTITLES, new_id

LIMIT = 8 * 2**30  # bytes of a film
SPARE = 256 * 2**20  # bytes of the disk that are never filled
MOST_OPEN = 200  # uploads at once
MOST_SUBTITLES = 4 * 2**20  # bytes
FORGOTTEN = 7 * 24 * 3600.0  # seconds after which an upload that nobody goes on with is removed
BLOCK = 2**20  # bytes that are written at once


@dataclass(frozen=True)
class Upload:
    """A film that is arriving: of `size` bytes, `received` are there. `done`: it is a recipe now."""

    id: str
    name: str
    size: int
    received: int
    done: bool = False


def file_name(name: str) -> str:
    """What is shown of the name that a browser gave: no folders, no control characters, never a path of ours."""
    bare = one_line(printable(name)).replace("\\", "/").rpartition("/")[2].strip()
    return bare[:200] if bare not in ("", ".", "..") else "film"


class Uploads:
    """The films that are arriving in a library."""

    def __init__(self, library: Library, jobs: Jobs, limit: int = LIMIT) -> None:
        self.library, self.jobs, self.limit = library, jobs, limit
        self._busy: set[str] = set()

    def open(self, name: str, size: int, ingredients: Sequence[str] = (), title: str = "") -> Upload:
        """Announce a film; refused if it is too large for the limit or for the disk."""
        name = file_name(name)
        if size > self.limit:
            raise TooLargeError(
                name, f"has {size:,} bytes, more than {self.limit:,}", "raise --max-upload if you trust it"
            )
        listed = list(ingredients)
        read_lines(listed)  # too many or too long ones are refused now
        recipe = new_id()
        # First the file: one that no row names is swept away.
        self.library.places.upload(recipe).touch()
        with self.library.db.writing() as connection:
            count, promised = connection.execute("SELECT count(*), coalesce(sum(size), 0) FROM uploads").fetchone()
            if count >= MOST_OPEN:
                raise TooManyError("uploads", f"{count} films are arriving already", "finish or drop some of them")
            arrived = sum(map(_size, self.library.places.uploads.iterdir()))
            if shutil.disk_usage(self.library.places.folder).free - (promised - arrived) < size + SPARE:
                raise NoRoomError(name, "there is not enough room on the disk", "make room, or empty the bin")
            connection.execute(
                "INSERT INTO uploads (id, name, size, ingredients, title, created) VALUES (?, ?, ?, ?, ?, ?)",
                (recipe, name, size, json.dumps(listed, ensure_ascii=False), one_line(title)[:300], time.time()),
            )
        return self.get(recipe)

    def get(self, upload: str) -> Upload:
        """How far an upload is."""
        row = self.library.db.connection.execute(
            "SELECT id, name, size FROM uploads WHERE id = ?", (upload,)
        ).fetchone()
        if row is None:
            kept = self.library.get(upload)  # or it is missing
            return Upload(upload, kept.film, 0, 0, done=True)
        arriving = self.library.places.upload(upload)
        # A film that was moved already but is no recipe yet has arrived.
        received = arriving.stat().st_size if arriving.exists() else row["size"]
        return Upload(row["id"], row["name"], row["size"], received)

    def words(self, upload: str, name: str, data: bytes) -> None:
        """Keep subtitles beside a film, arriving or there, so that nobody has to listen to it."""
        self.get(upload)
        ending = Path(file_name(name)).suffix.lower()
        if ending not in SUBTITLES:
            raise NotAFilmError(file_name(name), "is no file of subtitles", f"give one of {', '.join(SUBTITLES)}")
        from cookscribe.senses.subtitles import read_transcript

        target = self.library.places.subtitles(upload, ending)
        trial = target.with_name(f"given{ending}")
        write_bytes(trial, data)
        try:
            read_transcript(trial, 1e7)
        except CookscribeError as error:
            raise NotAFilmError(file_name(name), error.cause, error.advice) from None
        finally:
            trial.unlink(missing_ok=True)
        for other in SUBTITLES:
            self.library.places.subtitles(upload, other).unlink(missing_ok=True)
        write_bytes(target, data)

    async def receive(self, upload: str, offset: int, stream: AsyncIterator[bytes]) -> Upload:
        """Append what comes; `offset` must be where the last bytes ended. The last byte makes it a recipe."""
        now = await run_sync(self.get, upload)
        if now.done:
            return now
        if upload in self._busy:
            raise StaleError(now.name, "is arriving already from elsewhere", "wait for that, or drop it")
        if offset != now.received:
            raise StaleError(
                now.name, f"{now.received} bytes are here, not {offset}", "ask how far it is and go on there"
            )
        self._busy.add(upload)
        try:
            if now.received < now.size:
                await self._append(now, stream)
            now = await run_sync(self.get, upload)
            if not now.done and now.received == now.size:
                await run_sync(self.finish, upload)
                now = await run_sync(self.get, upload)
        finally:
            self._busy.discard(upload)
        return now

    async def _append(self, now: Upload, stream: AsyncIterator[bytes]) -> None:
        path = self.library.places.upload(now.id)
        received, block = now.received, bytearray()
        with path.open("ab") as file:
            try:
                async for chunk in stream:
                    received += len(chunk)
                    if received > now.size:
                        raise TooLargeError(now.name, f"more than the {now.size:,} bytes that were announced", "")
                    block += chunk
                    if len(block) >= BLOCK:
                        await run_sync(_write, file, bytes(block), path)
                        block.clear()
            finally:
                # What came before a break is kept, too.
                if received <= now.size:
                    _write(file, bytes(block), path)
            await run_sync(os.fsync, file.fileno())
        if received == 0:
            return
        if now.received < SNIFFED_BYTES:
            with path.open("rb") as file:
                head = file.read(SNIFFED_BYTES)
            if len(head) >= min(SNIFFED_BYTES, now.size) and sniff(head) is None:
                # Nobody need send the rest of what is no film.
                self.drop(now.id)
                raise NotAFilmError(now.name, "is not a film, whatever its name says", ADVICE)

    def finish(self, upload: str) -> None:
        """Make a recipe of a film that has arrived: look into it, move it to its place, queue it."""
        row = self.library.db.connection.execute("SELECT * FROM uploads WHERE id = ?", (upload,)).fetchone()
        if row is None:
            raise MissingFileError(upload, "no such upload", "begin again")
        places, name = self.library.places, row["name"]
        arrived = places.upload(upload)
        film = arrived if arrived.exists() else places.film(upload)
        try:
            if film is None or film.stat().st_size == 0:
                raise NotAFilmError(name, "is empty", ADVICE)
            info = probe_film(film, places.poster(upload))
        except NotAFilmError:
            self.drop(upload)
            raise
        except BadFileError as error:
            self.drop(upload)
            cause = error.cause.replace(str(film), name)
            kind = NotAFilmError if "is not a film" in cause else BadFileError
            raise kind(name, cause, error.advice) from None
        film = places.take_in(upload, info["container"])
        names, amounts = read_lines(json.loads(row["ingredients"]))
        document = Recipe(
            title=row["title"] or title_of(Path(name)),
            ingredients=names,
            amounts=amounts,
            steps=(),
            video=_described(name, info),
            warnings=tuple(info["warnings"]),
        )
        with self.library.db.writing() as connection:
            if connection.execute("DELETE FROM uploads WHERE id = ?", (upload,)).rowcount:
                self.library.add(connection, upload, name, document, "film uploaded")
                self.jobs.add(connection, upload, json.loads(row["ingredients"]), row["title"])

    def drop(self, upload: str) -> None:
        """Forget an upload and its bytes."""
        with self.library.db.writing() as connection:
            if not connection.execute("DELETE FROM uploads WHERE id = ?", (upload,)).rowcount:
                raise MissingFileError(upload, "no such upload", "it may be finished or dropped")
        self.library.places.remove(upload)

    def recover(self) -> None:
        """After a crash: finish what had arrived, and sweep away what nobody will go on with or name any more."""
        rows = self.library.db.connection.execute("SELECT id, created FROM uploads").fetchall()
        for row in rows:
            now = self.get(row["id"])
            if now.received == now.size:
                with suppress(CookscribeError):
                    self.finish(now.id)
            elif time.time() - row["created"] > FORGOTTEN:
                self.drop(now.id)
        connection = self.library.db.connection
        known = {row["id"] for row in connection.execute("SELECT id FROM uploads UNION SELECT id FROM recipes")}
        places = self.library.places
        for path in (*places.films.iterdir(), *places.uploads.iterdir()):
            if path.name not in known:
                shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)


def _described(name: str, info: dict[str, object]) -> Video:
    from cookscribe.video import VideoInfo

    width, height = VideoInfo.parse(info).upright or (None, None)
    return Video(name=name, duration=float(str(info["readable"])), width=width, height=height)


def _size(path: Path) -> int:
    with suppress(OSError):
        return path.stat().st_size
    return 0


def _write(file: BinaryIO, block: bytes, path: Path) -> None:
    try:
        file.write(block)
        file.flush()
    except OSError as error:
        if error.errno in FULL:
            raise NoRoomError(path.name, "the disk is full", "make room, or empty the bin") from None
        raise
