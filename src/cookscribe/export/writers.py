"""The table of formats, and the one function that writes a recipe in those asked for."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from cookscribe.errors import BadValueError
from cookscribe.export import chapters, cooklang, jsonld, markdown, page, researcher, subtitles
from cookscribe.files import replacing, write_json, write_text
from cookscribe.recipe import RECIPE_MARK, Recipe
from cookscribe.video import VideoFile

LONGEST_NAME = 255  # bytes, on all common file systems

# Above this an HTML page with the video inside becomes unusable in browsers.
EMBED_LIMIT = 64 * 1024 * 1024


@dataclass(frozen=True)
class Media:
    """What belongs to a recipe besides its text.

    Attributes:
        video: the video file, needed by `mp4` and for a page that embeds it.
        pictures: a JPEG (or None) for each step.
        embed_video: put the video into the page instead of linking to it.
    """

    video: Path | None = None
    pictures: tuple[bytes | None, ...] = ()
    embed_video: bool = False


@dataclass(frozen=True)
class Written:
    """The files a format made, and notes for the user (what had to be changed to meet the format's rules)."""

    files: tuple[Path, ...]
    notes: tuple[str, ...] = ()


Write = Callable[[Recipe, Path, Media], Written]


@dataclass(frozen=True)
class Format:
    """One output format: `suffix` is added to the recipe's file stem."""

    name: str
    suffix: str
    explanation: str
    write: Write


def _save_text(text: str, target: Path) -> Written:
    write_text(target, text)
    return Written((target,))


def _write_pictures(target: Path, media: Media) -> tuple[list[str | None], list[Path]]:
    """Put the step pictures beside `target`; give their names for links, and the files."""
    names: list[str | None] = []
    paths: list[Path] = []
    for number, picture in enumerate(media.pictures, 1):
        if picture is None:
            names.append(None)
            continue
        path = target.parent / _picture_name(target.stem, number)
        with replacing(path) as temporary:
            temporary.write_bytes(picture)
        names.append(path.name)
        paths.append(path)
    return names, paths


def _picture_name(stem: str, number: int) -> str:
    return f"{stem}-step-{number}.jpg"


def _pictured(text: Callable[[Recipe, Sequence[str | None]], str]) -> Write:
    """Writes a text that names the step pictures, and these beside it."""

    def write(recipe: Recipe, target: Path, media: Media) -> Written:
        names, paths = _write_pictures(target, media)
        write_text(target, text(recipe, names))
        return Written((target, *paths))

    return write


def _write_page(recipe: Recipe, target: Path, media: Media) -> Written:
    source, notes = None, []
    if media.video is not None:
        if media.embed_video:
            size = media.video.stat().st_size
            if size > EMBED_LIMIT:
                raise BadValueError(
                    media.video,
                    f"is {size / 2**20:.0f} MiB, too large to embed (limit {EMBED_LIMIT // 2**20} MiB)",
                    "leave --embed-video out",
                )
            source = page.data_address(media.video.read_bytes(), "video/mp4")
        elif media.video.resolve().parent != target.resolve().parent:
            notes.append(f"the page plays {recipe.video.name} when that file lies beside it")
    write_text(target, page.to_page(recipe, media.pictures, source))
    return Written((target,), tuple(notes))


def _write_youtube(recipe: Recipe, target: Path, media: Media) -> Written:  # noqa: ARG001
    result = chapters.to_youtube(recipe)
    write_text(target, result.text)
    return Written((target,), result.changes)


def _write_mp4(recipe: Recipe, target: Path, media: Media) -> Written:
    if media.video is None:
        raise BadValueError("format mp4", "needs the video the recipe was written from", "give it with --video")
    chapters.embed_chapters(recipe, media.video, target)
    return Written((target,))


def _write_json(recipe: Recipe, target: Path, media: Media) -> Written:  # noqa: ARG001
    recipe.save(target)
    return Written((target,))


def _write_researcher(recipe: Recipe, target: Path, media: Media) -> Written:  # noqa: ARG001
    events = [((step.span.start, step.span.end), step.sentence) for step in recipe.steps]
    write_json(target, researcher.as_predictions({Path(recipe.video.name).stem: events}))
    return Written((target,))


def _text(render: Callable[[Recipe], str]) -> Write:
    return lambda recipe, target, media: _save_text(render(recipe), target)  # noqa: ARG005


FORMATS: dict[str, Format] = {
    entry.name: entry
    for entry in (
        Format("json", f"{RECIPE_MARK}.json", "the recipe itself; edit it and export again", _write_json),
        Format("md", ".md", "Markdown with step pictures beside it", _pictured(markdown.to_markdown)),
        Format("html", ".html", "a page with player, time line and evidence", _write_page),
        # Not ".vtt" and ".srt": a film often has subtitles of these names beside it, which are somebody's work.
        Format("vtt", f"{RECIPE_MARK}.vtt", "WebVTT subtitles", _text(subtitles.to_vtt)),
        Format("srt", f"{RECIPE_MARK}.srt", "SRT subtitles", _text(subtitles.to_srt)),
        Format("ffmetadata", ".ffmetadata.txt", "chapters for ffmpeg", _text(chapters.to_ffmetadata)),
        Format("youtube", ".youtube.txt", "chapters for a YouTube description", _write_youtube),
        Format("mp4", ".chapters.mp4", "a copy of the video with chapters inside", _write_mp4),
        Format("jsonld", ".jsonld", "schema.org Recipe for recipe managers", _pictured(jsonld.to_jsonld)),
        Format("cooklang", ".cook", "Cooklang", _text(cooklang.to_cooklang)),
        Format("researcher", ".predictions.json", "prediction file for evaluators", _write_researcher),
    )
}


def parse_formats(text: str) -> tuple[str, ...]:
    """`"json, md"` to names; an unknown one is a typed error that lists the known ones."""
    names = tuple(dict.fromkeys(part.strip().lower() for part in text.split(",") if part.strip()))
    unknown = ", ".join(name for name in names if name not in FORMATS)
    if unknown or not names:
        raise BadValueError("--formats", f"unknown format {unknown or repr(text)}", f"known: {', '.join(FORMATS)}")
    return names


def file_names(stem: str, formats: Sequence[str]) -> list[str]:
    """The names of the files that `export` makes; of the step pictures that of the hundredth stands for all."""
    names = [f"{stem}{FORMATS[name].suffix}" for name in formats]
    return names + ([_picture_name(stem, 100)] if {"md", "jsonld"} & set(formats) else [])


def export_film(
    recipe: Recipe, film: VideoFile, stem: Path, formats: Sequence[str], embed_video: bool = False
) -> Written:
    """`export` with the film at hand: pictures of the steps where a format has them, and the film itself."""
    pictures: tuple[bytes | None, ...] = ()
    if {"html", "md", "jsonld"} & set(formats):
        from cookscribe.export.pictures import step_pictures

        pictures = step_pictures(recipe, film)
    return export(recipe, stem, formats, Media(film.path, pictures, embed_video))


def export(recipe: Recipe, stem: Path, formats: Sequence[str], media: Media | None = None) -> Written:
    """Write `recipe` in the formats asked for; files are named `stem` plus the format's suffix."""
    media = media or Media()
    paths: list[Path] = []
    notes: list[str] = []
    for name in formats:
        entry = FORMATS[name]
        written = entry.write(recipe, stem.parent / f"{stem.name}{entry.suffix}", media)
        paths += [path for path in written.files if path not in paths]
        notes += [f"{name}: {note}" for note in written.notes]
    return Written(tuple(paths), tuple(notes))


def check_file_names(films: Mapping[Path, str], formats: Sequence[str], out: Path) -> None:
    """Refuse to write files of films, each with its stem, whose names are too long or are those of a film."""
    for video, stem in films.items():
        for name in file_names(stem, formats):
            if (length := len(os.fsencode(name))) > LONGEST_NAME:
                cause = f"a file made of it would have a name of {length} bytes, more than {LONGEST_NAME}"
                raise BadValueError(video, cause, "rename it")
            for other in films:
                if os.path.abspath(out / name) == os.path.abspath(other):
                    raise BadValueError(other, f"a file made of {video} would replace it", "choose another --out")
