"""A recipe as a file to download, in any format of `export/`; several files come as one zip."""

import shutil
import tempfile
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cookscribe.errors import BadValueError, MissingFileError
from cookscribe.export.pictures import picture_time
from cookscribe.export.writers import EMBED_LIMIT, FORMATS, Media, export
from cookscribe.text.printable import one_line
from cookscribe.web.library import Kept, Library
from cookscribe.web.looking import take_pictures, write_chapters

MEDIA_TYPES = {
    ".json": "application/json",
    ".jsonld": "application/ld+json",
    ".html": "text/html; charset=utf-8",
    ".md": "text/markdown; charset=utf-8",
    ".vtt": "text/vtt; charset=utf-8",
    ".srt": "application/x-subrip; charset=utf-8",
    ".mp4": "video/mp4",
    ".zip": "application/zip",
}
PICTURED = {"html", "md", "jsonld"}


@dataclass(frozen=True)
class Download:
    """A file in a folder that is to be removed after it was sent."""

    path: Path
    media_type: str
    folder: Path

    def remove(self) -> None:
        """Remove the folder."""
        shutil.rmtree(self.folder, ignore_errors=True)


def step_pictures(library: Library, kept: Kept) -> list[Path]:
    """The picture of each step; those that are not there yet are taken now. An empty file is a moment without one."""
    moments = [picture_time(step) for step in kept.marked.recipe.steps]
    paths = [library.places.picture(kept.id, moment) for moment in moments]
    missing = {path: moment for path, moment in zip(paths, moments, strict=True) if not path.exists()}
    film = library.places.film(kept.id)
    if missing and film is not None:
        take_pictures(film, missing)
    return paths


def download(library: Library, kept: Kept, name: str, *, embed: bool = False) -> Download:
    """Write a recipe in a format.

    Args:
        embed: put the film into the page (`html` only).
    """
    if name not in FORMATS:
        raise MissingFileError(name, "no such format", f"known: {', '.join(FORMATS)}")
    recipe = kept.marked.recipe
    film = library.places.film(kept.id)
    folder = Path(tempfile.mkdtemp(prefix="cookscribe-"))
    try:
        stem = folder / stem_of(recipe.title)
        if name == "mp4":
            if film is None:
                raise MissingFileError(recipe.video.name, "the film is not in the library", "upload it again")
            target = folder / f"{stem.name}{FORMATS['mp4'].suffix}"
            recipe.save(folder / "recipe.json")
            write_chapters(film, folder / "recipe.json", target)
            paths: Sequence[Path] = (target,)
        else:
            pictures: tuple[bytes | None, ...] = ()
            if name in PICTURED:
                pictures = tuple(path.read_bytes() or None for path in step_pictures(library, kept) if path.exists())
            if embed and name != "html":
                raise BadValueError("embed", "only a page can hold the film", "leave it out")
            media = Media(film if embed else None, pictures if len(pictures) == len(recipe.steps) else (), embed)
            paths = export(recipe, stem, [name], media).files
        if len(paths) > 1:
            paths = (_zipped(folder / f"{stem.name}.{name}.zip", paths),)
        return Download(paths[0], MEDIA_TYPES.get(paths[0].suffix, "text/plain; charset=utf-8"), folder)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def can_embed(film: Path | None) -> bool:
    """Whether a film is small enough to stand inside a page."""
    return film is not None and film.stat().st_size <= EMBED_LIMIT


def stem_of(title: str) -> str:
    """A file's name made of a title, for any system; what cannot stand in a name becomes a blank."""
    kept = "".join(c if c.isalnum() or c in "-_() '" else " " for c in title)
    return one_line(kept)[:80].encode()[:150].decode(errors="ignore").strip() or "recipe"


def _zipped(target: Path, paths: Sequence[Path]) -> Path:
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in paths:
            archive.write(path, path.name)
    return target
