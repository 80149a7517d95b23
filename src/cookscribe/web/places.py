"""Where things lie in the library's folder. Names of users never become paths: everything is named by its id.

cookscribe.db            recipes, revisions, jobs
films/ID/film.mp4        the film, with film.vtt beside it where its words were given
films/ID/pictures/       the poster and a picture a moment, made when they are first asked for
uploads/ID               films that are still arriving
"""

import os
import re
import secrets
import shutil
from contextlib import suppress
from pathlib import Path

ID = r"[a-z2-7]{12}"
_LETTERS = "abcdefghijklmnopqrstuvwxyz234567"
# The ending by what the film is; what a browser is told of it.
ENDINGS = {
    "mov": (".mp4", "video/mp4"),
    "matroska": (".mkv", "video/webm"),
    "avi": (".avi", "video/x-msvideo"),
    "flv": (".flv", "video/x-flv"),
    "ogg": (".ogv", "video/ogg"),
    "asf": (".wmv", "video/x-ms-wmv"),
    "mpeg": (".mpg", "video/mpeg"),
    "mpegts": (".ts", "video/mp2t"),
}
MEDIA_TYPES = dict(ENDINGS.values())
SUBTITLES = (".vtt", ".srt", ".txt", ".json")


def new_id() -> str:
    """Sixty random bits as twelve letters that stand well in an address."""
    return "".join(secrets.choice(_LETTERS) for _ in range(12))


class Places:
    """The folder of a library."""

    def __init__(self, folder: Path) -> None:
        self.folder = Path(os.path.abspath(folder))
        self.database = self.folder / "cookscribe.db"
        self.films = self.folder / "films"
        self.uploads = self.folder / "uploads"

    def make(self) -> None:
        """Make the folders."""
        for folder in (self.films, self.uploads):
            folder.mkdir(parents=True, exist_ok=True)

    def folder_of(self, recipe: str) -> Path:
        """The folder of a recipe's film."""
        if not re.fullmatch(ID, recipe):
            raise ValueError(f"not an id: {recipe!r}")
        return self.films / recipe

    def upload(self, recipe: str) -> Path:
        """The file of a film that is arriving."""
        return self.uploads / self.folder_of(recipe).name

    def film(self, recipe: str) -> Path | None:
        """The film of a recipe."""
        folder = self.folder_of(recipe)
        found = (folder / f"film{ending}" for ending in MEDIA_TYPES)
        return next((path for path in found if path.is_file()), None)

    def subtitles(self, recipe: str, ending: str) -> Path:
        """Where the words of a film lie, so that they are found beside it."""
        between = "" if ending in (".vtt", ".srt") else ".transcript"
        return self.folder_of(recipe) / f"film{between}{ending}"

    def given_words(self, recipe: str) -> Path | None:
        """The words that were given with a film."""
        found = (self.subtitles(recipe, ending) for ending in SUBTITLES)
        return next((path for path in found if path.is_file()), None)

    def poster(self, recipe: str) -> Path:
        """The picture on the shelf."""
        return self.folder_of(recipe) / "pictures" / "poster.jpg"

    def picture(self, recipe: str, seconds: float) -> Path:
        """The picture of a moment."""
        return self.folder_of(recipe) / "pictures" / f"{round(seconds * 1000):010d}.jpg"

    def take_in(self, recipe: str, demuxer: str) -> Path:
        """Move a film that has arrived to its place; nothing is done if it is there already."""
        folder = self.folder_of(recipe)
        (folder / "pictures").mkdir(parents=True, exist_ok=True)
        target = folder / f"film{ENDINGS[demuxer][0]}"
        if not target.exists():
            os.replace(self.upload(recipe), target)
            for changed in (folder, self.films, self.uploads):
                _sync(changed)
        return target

    def remove(self, recipe: str) -> None:
        """Remove everything that lies of a recipe."""
        shutil.rmtree(self.folder_of(recipe), ignore_errors=True)
        self.upload(recipe).unlink(missing_ok=True)


def _sync(folder: Path) -> None:
    """Let a renaming survive the loss of power, where folders can be synced."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
