"""Chapters: FFmetadata, the text YouTube reads in a description, and chapters inside a copy of the video."""

import re
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

from cookscribe.export.clock import clock
from cookscribe.export.timestamps import milliseconds
from cookscribe.export.wording import heading
from cookscribe.files import replacing
from cookscribe.recipe import Recipe
from cookscribe.video.container import Limits, local_film, opened, typed
from cookscribe.video.info import picture_stream, sound_stream

YOUTUBE_SHORTEST = 10  # seconds
YOUTUBE_FEWEST = 3


@dataclass(frozen=True)
class Chapter:
    """A titled stretch of the video; times in whole milliseconds, `start < end`."""

    start: int
    end: int
    title: str


def chapters(recipe: Recipe) -> list[Chapter]:
    """One chapter per step. Containers forbid overlap, so a step ends where the next begins at the latest."""
    limit = milliseconds(recipe.video.duration)
    result: list[Chapter] = []
    for step in recipe.steps:
        start = milliseconds(step.span.start)
        end = max(milliseconds(step.span.end), start + 1)
        if result and result[-1].end > start:
            result[-1] = replace(result[-1], end=start)
        result.append(Chapter(start, min(end, max(limit, start + 1)), heading(step.sentence)))
    # Two steps with the same start leave an empty chapter behind; the longer title line keeps its sentence.
    merged: list[Chapter] = []
    for chapter in result:
        if merged and merged[-1].end <= merged[-1].start:
            chapter = replace(chapter, title=f"{merged.pop().title}; {chapter.title}")
        merged.append(chapter)
    return merged


def tiled_chapters(recipe: Recipe) -> list[Chapter]:
    """Chapters without gaps, from the very start: mp4 keeps them as a track of titles, each lasting until the next."""
    found = chapters(recipe)
    if found and found[0].start > 0:
        found.insert(0, Chapter(0, found[0].start, "Intro"))
    return [replace(chapter, end=after.start) for chapter, after in pairwise(found)] + found[-1:]


def _escape_metadata(text: str) -> str:
    return re.sub(r"([=;#\\])", r"\\\1", text)


def to_ffmetadata(recipe: Recipe) -> str:
    """An FFmetadata file: `ffmpeg -i VIDEO -i FILE -map_metadata 1 -codec copy OUT` puts it into a video."""
    lines = [";FFMETADATA1", f"title={_escape_metadata(recipe.title)}"]
    if recipe.made_by.simulated:
        lines.append("comment=simulated")
    for chapter in chapters(recipe):
        lines += ["[CHAPTER]", "TIMEBASE=1/1000", f"START={chapter.start}", f"END={chapter.end}"]
        lines.append(f"title={_escape_metadata(chapter.title)}")
    return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class YouTubeChapters:
    """The text for the description, and what had to be changed to meet YouTube's rules."""

    text: str
    changes: tuple[str, ...]


def to_youtube(recipe: Recipe) -> YouTubeChapters:
    """Chapters by YouTube's rules: the first at 0:00, at least three, each at least ten seconds, ascending.

    A chapter runs until the next one starts, so gaps are tiled. An introduction is added, and steps that start less
    than ten seconds after the one before are merged into it. If fewer than three chapters remain, `changes` says that
    YouTube will not show them.
    """
    duration = int(recipe.video.duration)
    starts: list[int] = []
    titles: list[list[str]] = []
    changes: list[str] = []
    for number, step in enumerate(recipe.steps, 1):
        start = int(step.span.start)
        if not starts:
            if start >= YOUTUBE_SHORTEST:
                starts.append(0)
                titles.append(["Intro"])
                changes.append("added an introduction at 0:00")
            elif start > 0:
                changes.append(f"moved step 1 from {clock(start)} to 0:00")
                start = 0
        last_room = duration - start
        if starts and (start - starts[-1] < YOUTUBE_SHORTEST or last_room < YOUTUBE_SHORTEST):
            target = "the introduction" if titles[-1] == ["Intro"] else "the chapter before it"
            titles[-1].append(heading(step.sentence))
            changes.append(f"merged step {number} into {target}: less than {YOUTUBE_SHORTEST} s")
        else:
            starts.append(start)
            titles.append([heading(step.sentence)])
    if len(starts) < YOUTUBE_FEWEST:
        changes.append(f"only {len(starts)} chapters: YouTube shows none below {YOUTUBE_FEWEST}")
    lines = [f"{clock(start)} {'; '.join(parts)}" for start, parts in zip(starts, titles, strict=True)]
    return YouTubeChapters("\n".join(lines) + "\n", tuple(changes))


def embed_chapters(recipe: Recipe, video: Path, target: Path) -> None:
    """Write a copy of `video` with the recipe's chapters inside; streams are copied, not encoded again.

    Raises:
        MissingFileError: no such file.
        BadFileError: not a film, or one whose streams do not fit into the container that the name of `target` asks for.
    """
    import av

    path, demuxer = local_film(video)
    marks: list[Any] = [
        {
            "id": number,
            "start": chapter.start,
            "end": chapter.end,
            "time_base": Fraction(1, 1000),
            # mp4 counts the bytes of a title in 16 bits.
            "metadata": {"title": chapter.title[:1000]},
        }
        for number, chapter in enumerate(tiled_chapters(recipe))
    ]
    with (
        typed(path, "cannot be copied with chapters"),
        replacing(target) as temporary,
        opened(path, demuxer, Limits()) as source,
        av.open(str(temporary), "w") as copy,
    ):
        pairs = {
            stream.index: copy.add_stream_from_template(stream)
            for stream in (picture_stream(source), sound_stream(source))
            if stream is not None
        }
        copy.metadata.update({"title": recipe.title})
        copy.set_chapters(marks)
        for packet in source.demux([source.streams[index] for index in pairs]):
            if packet.dts is None:
                continue
            packet.stream = pairs[packet.stream.index]
            copy.mux(packet)
