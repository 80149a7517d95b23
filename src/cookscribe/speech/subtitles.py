"""Transcripts from the files creators have: WebVTT and SubRip subtitles, JSON of a recogniser, plain text.

    find_transcript(Path("soup.mp4"))    soup.vtt, soup.en.vtt, soup.srt, soup.json or soup.txt beside the film

Subtitles that YouTube makes repeat each line while the next one rolls in; a line is taken once.
"""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

from cookscribe.datasets.transcripts import Transcript
from cookscribe.errors import BadFileError, BadValueError
from cookscribe.files import read_json, read_text
from cookscribe.recipe import RECIPE_MARK

ENDINGS = (".vtt", ".srt", ".transcript.json", ".transcript.txt")

_TIME = r"(?:(\d{1,3}):)?(\d{1,2}):(\d{2})[.,](\d{1,3})"
_CUE = re.compile(rf"^\s*{_TIME}\s*-->\s*{_TIME}")
_MARKUP = re.compile(r"<[^>]*>|\{\\[^}]*\}")
# What is not said: [Music], (applause), ♪.
_SOUNDS = re.compile(r"\[[^\]]*\]|\([^)]*\)|[♪♫]")

Segment = tuple[float, float, str]


def read_transcript(path: Path, duration: float) -> Transcript:
    """The words of a film that lasts `duration` seconds; the ending of the file says how they are written.

    Raises:
        BadFileError: the file holds no words, or is of another kind.
    """
    path = Path(path)
    ending = path.suffix.lower()
    if ending == ".txt":
        transcript = Transcript.from_text(" ".join(_spoken(line) for line in read_text(path).splitlines()), duration)
    elif ending in (".vtt", ".srt"):
        transcript = _of(cues(read_text(path)), path)
    elif ending == ".json":
        transcript = _of(_segments(read_json(path), path), path)
    else:
        raise BadFileError(path, f"{ending or 'no ending'}: not a transcript", "give .vtt, .srt, .json or .txt")
    if not len(transcript):
        raise BadFileError(path, "holds no words", "is it the right file?")
    late = float(transcript.times[:, 0].max())
    if late > duration + 5:
        raise BadFileError(
            path, f"words at {late:.0f} s, but the film lasts {duration:.0f} s", "is it of another film?"
        )
    return transcript


def find_transcript(video: Path) -> Path | None:
    """The transcript that lies beside a film and has its name, in any language ("soup.en.vtt"); None without one.

    Subtitles made of a recipe ("soup.recipe.vtt") are not what was said, and passed over.
    """
    video = Path(video)
    for ending in ENDINGS:
        exact = video.with_suffix(ending)
        if exact.is_file():
            return exact
    for ending in (".vtt", ".srt"):
        beside = sorted(
            path
            for path in video.parent.glob(f"*{ending}")
            if path.name.startswith(f"{video.stem}.") and path.is_file() and path.stem != f"{video.stem}{RECIPE_MARK}"
        )
        # English first: it is the language the model reads.
        beside.sort(key=lambda path: not path.name[len(video.stem) + 1 :].lower().startswith("en"))
        if beside:
            return beside[0]
    return None


def cues(text: str) -> list[Segment]:
    """(start, end, text) of the cues of a WebVTT or SubRip file, without markup and repeated lines."""
    found: list[Segment] = []
    before: list[str] = []
    block: list[str] = []
    times: tuple[float, float] | None = None
    for line in [*text.lstrip("\ufeff").splitlines(), ""]:
        if match := _CUE.match(line):
            times, block = (_seconds(match, 1), _seconds(match, 5)), []
        elif line.strip():
            block.append(line)
        elif times is not None:
            lines = [spoken for raw in block if (spoken := _spoken(raw))]
            new = [line for line in lines if line not in before]
            if new:
                found.append((times[0], max(times), " ".join(new)))
            before, times = lines, None
    return found


def _seconds(match: re.Match[str], group: int) -> float:
    hours, minutes, seconds, fraction = match.group(group, group + 1, group + 2, group + 3)
    return 3600 * int(hours or 0) + 60 * int(minutes) + int(seconds) + int(fraction.ljust(3, "0")) / 1000


def _spoken(line: str) -> str:
    return " ".join(_SOUNDS.sub(" ", html.unescape(_MARKUP.sub("", line))).lstrip(">- ").split())


def _segments(value: Any, path: Path) -> list[Segment]:
    """`[{"start", "end", "text"}]`, or the same under "segments", as Whisper writes it."""
    if isinstance(value, dict):
        value = value.get("segments")
    if not isinstance(value, list):
        raise BadFileError(path, 'is not a list of segments with "start", "end" and "text"')
    found: list[Segment] = []
    for number, part in enumerate(value):
        try:
            found.append((float(part["start"]), float(part["end"]), _spoken(str(part["text"]))))
        except (TypeError, KeyError, ValueError):
            raise BadFileError(path, f'segment {number} has no "start", "end" and "text"') from None
    return found


def _of(segments: list[Segment], path: Path) -> Transcript:
    try:
        return Transcript.from_segments(segments)
    except BadValueError as error:
        raise BadFileError(path, error.cause) from None
