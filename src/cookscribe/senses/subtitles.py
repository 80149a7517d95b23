"""Transcripts from the files creators have: WebVTT and SubRip subtitles, JSON of a recogniser, plain text.

    find_transcript(Path("soup.mp4"))    soup.vtt, soup.srt, soup.transcript.json, soup.transcript.txt, soup.en.vtt

`soup.json` and `soup.txt` are not taken by themselves: they may be the truth of a drawn film, or notes of any kind.
`--transcript soup.json` takes them. Subtitles that YouTube makes repeat each line while the next one rolls in; a line
is taken once. Files may be hostile: the time to read one grows with its size alone, and its size has a limit.
"""

import html
import os
import re
from pathlib import Path
from typing import Any

from cookscribe.errors import BadFileError, BadValueError
from cookscribe.files import read_json, read_text
from cookscribe.senses.transcripts import Transcript, check_fits
from cookscribe.text.printable import one_line, printable

ENDINGS = (".vtt", ".srt", ".transcript.json", ".transcript.txt")
MOST_BYTES = 16 * 2**20  # a recogniser's JSON of six hours, with times for each word, has 7 MB
LONGEST_LINE = 10_000  # characters of a line of subtitles

_TIME = r"(?:(\d{1,3}):)?(\d{1,2}):(\d{2})[.,](\d{1,3})"
# "en", "pt-BR", "en-orig": how downloaders mark the language of subtitles.
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*")
_CUE = re.compile(rf"^\s*{_TIME}\s*-->\s*{_TIME}")
# None of these can begin inside itself: so each beginning is looked at once, however many are never closed.
_MARKUP = re.compile(r"<[^<>]*>|\{\\[^{}]*\}")
# What is not said: [Music], (applause), ♪.
_SOUNDS = re.compile(r"\[[^\[\]]*\]|\([^()]*\)|[♪♫]")
# No character has a number this long, and Python refuses to read it.
_NO_CHARACTER = re.compile(r"&#[xX]?[0-9a-fA-F]{9,}+;?")

Segment = tuple[float, float, str]


def read_transcript(path: Path, duration: float) -> Transcript:
    """The words of a film that lasts `duration` seconds; the ending of the file says how they are written.

    Raises:
        BadFileError: the file holds no words, or is of another kind.
    """
    path = Path(path)
    ending = path.suffix.lower()
    if ending == ".txt":
        lines = read_text(path, MOST_BYTES).splitlines()
        transcript = Transcript.from_text(" ".join(map(_spoken, lines)), duration)
    elif ending in (".vtt", ".srt"):
        transcript = _of(cues(_read_subtitles(path)), path)
    elif ending == ".json":
        transcript = _of(_segments(read_json(path, MOST_BYTES), path), path)
    else:
        raise BadFileError(path, f"{ending or 'no ending'}: not a transcript", "give .vtt, .srt, .json or .txt")
    if not len(transcript):
        raise BadFileError(path, "holds no words", "is it the right file?")
    check_fits(transcript, duration, path)
    return transcript


def find_transcript(video: Path) -> Path | None:
    """The transcript that lies beside a film and has its name, in any language ("soup.en.vtt"); None without one.

    Subtitles made of a recipe ("soup.recipe.vtt") or of another film ("soup.part2.vtt") are not what was said, and
    passed over.
    """
    video = Path(video)
    for ending in ENDINGS:
        exact = video.with_suffix(ending)
        if os.path.isfile(exact):  # unlike Path's own, no error where the longer name is too long for a file
            return exact
    for ending in (".vtt", ".srt"):
        languages = {
            path.stem[len(video.stem) + 1 :]: path
            for path in sorted(video.parent.glob(f"*{ending}"))
            if path.name.startswith(f"{video.stem}.") and path.is_file()
        }
        known = [language for language in languages if _LANGUAGE.fullmatch(language)]
        if known:
            # English first: it is the language the model reads.
            return languages[min(known, key=lambda language: not language.lower().startswith("en"))]
    return None


def cues(text: str) -> list[Segment]:
    """(start, end, text) of the cues of a WebVTT or SubRip file, without markup and repeated lines."""
    found: list[Segment] = []
    before: set[str] = set()
    block: list[str] = []
    times: tuple[float, float] | None = None
    for line in (*text.lstrip("\ufeff").splitlines(), ""):
        if match := _CUE.match(line):
            times, block = (_seconds(match, 1), _seconds(match, 5)), []
        elif line.strip():
            block.append(line)
        elif times is not None:
            said = [spoken for raw in block if (spoken := _spoken(raw))]
            new = [spoken for spoken in said if spoken not in before]
            if new:
                found.append((times[0], max(times), " ".join(new)))
            before, times = set(said), None
    return found


def _read_subtitles(path: Path) -> str:
    text = read_text(path, MOST_BYTES)
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) > LONGEST_LINE:
            raise BadFileError(
                path, f"line {number} has {len(line)} characters", f"lines of subtitles have at most {LONGEST_LINE}"
            )
    return text


def _seconds(match: re.Match[str], group: int) -> float:
    hours, minutes, seconds, fraction = match.group(group, group + 1, group + 2, group + 3)
    return 3600 * int(hours or 0) + 60 * int(minutes) + int(seconds) + int(fraction.ljust(3, "0")) / 1000


def _spoken(line: str) -> str:
    """What is said in a line; the time it takes grows with its length only."""
    # Escape codes go first: they hold brackets of their own.
    line = html.unescape(_NO_CHARACTER.sub(" ", _MARKUP.sub("", printable(line))))
    return one_line(_SOUNDS.sub(" ", line)).lstrip(">- ")


def _segments(value: Any, path: Path) -> list[Segment]:
    """`[{"start", "end", "text"}]`, or the same under "segments", as Whisper writes it."""
    if isinstance(value, dict):
        value = value.get("segments")
    if not isinstance(value, list):
        raise BadFileError(path, 'is not a list of segments with "start", "end" and "text"')
    found: list[Segment] = []
    for number, part in enumerate(value):
        try:
            start, end, text = part["start"], part["end"], part["text"]
            found.append((float(start), float(end), " ".join(_spoken(line) for line in text.splitlines())))
        except (TypeError, KeyError, ValueError, AttributeError):
            raise BadFileError(path, f'segment {number} has no "start", "end" and "text"') from None
    return found


def _of(segments: list[Segment], path: Path) -> Transcript:
    try:
        return Transcript.from_segments(segments)
    except BadValueError as error:
        raise BadFileError(path, error.cause) from None
