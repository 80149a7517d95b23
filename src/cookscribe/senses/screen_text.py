"""Text on the screen: lines that a film shows, with the times at which they are there, read by rapidocr (PP-OCR).

Only new text is read, and each line twice: when it has come, and a second later, when fading in is over. Its times
follow from its strokes alone. Logos and watermarks that never leave are dropped.
"""

import importlib.util
import os
import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from cookscribe.cues import Cue, Cues
from cookscribe.encoders.base import Progress, silent
from cookscribe.errors import BadFileError, MissingDependencyError
from cookscribe.recipe import Span
from cookscribe.senses.text_regions import MARGIN, SAME, Box, Mask, agreement, find_strokes, new_region
from cookscribe.text.amounts import MEASURES, PORTIONS
from cookscribe.text.printable import one_line
from cookscribe.video import VideoFile
from cookscribe.video.geometry import Image, Size

RATE = 2.0  # pictures a second that are looked at
LINES = 480  # pixels of the shorter side of a picture as it is read
AGAIN = 1.0  # seconds after which a new line is read once more
SHORTEST = 1.0  # seconds that a line is shown
SURE = 0.8  # of a reading, 0 to 1
ALIKE = 0.8  # of two readings of one line
OVERLAP = 0.5  # of their boxes
GAP = 2.0  # seconds for which a line may be hidden
NEVER_LEAVES, SHORT_FILM = 0.5, 15.0  # share of the film that a logo is shown; seconds of a film too short to tell
_ADVICE = "pip install 'cookscribe[ocr]'"
_UNITS = "|".join(sorted(map(re.escape, {*MEASURES, *PORTIONS}), key=len, reverse=True))
_JOINED = re.compile(rf"(?<=\d)(?=(?:{_UNITS})\b)", re.IGNORECASE)
_DOTTED = re.compile(rf"(?<=\d )({_UNITS})\.(?=[^\W\d_])", re.IGNORECASE)
_MIXED = re.compile(r"\b(\d)(\d/[2348])\b")  # nobody writes 21/2 for ten and a half
_POUNDS = re.compile(r"(?<=\d )[I|1](b|bs)\b")


def can_read() -> bool:
    """Whether the package that reads is installed."""
    return importlib.util.find_spec("rapidocr") is not None


@dataclass(frozen=True)
class Reading:
    """One line that was read: what, how sure (0 to 1), and where in the picture."""

    text: str
    score: float
    box: Box


class TextReader:
    """Reads all lines of a picture with the two networks that come inside the package rapidocr, on one thread."""

    def __init__(self) -> None:
        os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
        import rapidocr

        models = Path(rapidocr.__file__).parent / "models"
        # By their paths: what the package does not find it would fetch from somewhere.
        paths = {part: next(models.glob(f"*_{part}_small.onnx"), None) for part in ("det", "rec")}
        missing = [part for part, path in paths.items() if path is None]
        if missing:
            raise MissingDependencyError("on-screen text", f"rapidocr has no {missing[0]} network inside", _ADVICE)
        self._engine = rapidocr.RapidOCR(
            params={
                "Global.log_level": "critical",
                "Global.use_cls": False,  # captions are upright
                "EngineConfig.onnxruntime.intra_op_num_threads": 1,
                "EngineConfig.onnxruntime.inter_op_num_threads": 1,
                "Det.model_path": str(paths["det"]),
                "Rec.model_path": str(paths["rec"]),
                "Det.limit_type": "max",  # the pictures have the right size already
            }
        )

    def __call__(self, image: Image) -> list[Reading]:
        """The lines of an (H, W, 3) RGB picture, from top to bottom."""
        # Its type names four kinds of results; with both networks it is always the last.
        result: Any = self._engine(np.ascontiguousarray(image[..., ::-1]))
        if result.txts is None:
            return []
        readings = []
        for text, score, corners in zip(result.txts, result.scores, result.boxes, strict=True):
            (left, top), (right, bottom) = np.floor(corners.min(axis=0)), np.ceil(corners.max(axis=0))
            readings.append(Reading(tidied(text), float(score), Box(int(top), int(bottom), int(left), int(right))))
        return sorted(readings, key=lambda reading: reading.box.top)


@dataclass(eq=False)
class _Line:
    """A line on the screen: its readings, its strokes, and the seconds it was first and last there."""

    box: Box
    strokes: Mask
    first: float
    last: float
    again: float
    readings: list[tuple[str, float]] = field(default_factory=list)

    def best(self) -> tuple[str, float]:
        """The reading that most of them agree on, and how sure it is."""
        weights: dict[str, float] = defaultdict(float)
        for text, score in self.readings:
            weights[text] += score
        text = max(weights, key=lambda text: (round(weights[text]), len(text)))
        scores = [score for other, score in self.readings if other == text]
        # A part that was read while the rest faded in is no other reading.
        alike = [1.0 if other in text else _alike(other, text) for other, _ in self.readings]
        return text, float(np.mean(scores) * np.mean(alike))


class ScreenText:
    """Reads the text that films show.

    Args:
        read: gives the lines of a picture; None takes rapidocr, which is loaded when a film first shows any.
    """

    def __init__(self, read: Callable[[Image], Sequence[Reading]] | None = None) -> None:
        if read is None and not can_read():
            raise MissingDependencyError("on-screen text", "rapidocr is not installed", _ADVICE)
        self._given = read

    @cached_property
    def read(self) -> Callable[[Image], Sequence[Reading]]:
        """What reads a picture."""
        return self._given or TextReader()

    def __call__(self, film: VideoFile, progress: Progress = silent) -> Cues:
        """The lines of the film as cues; none if it has no picture."""
        if film.info.video is None:
            return Cues()
        lines = _Screen(lambda image: self.read(image))
        size = reading_size(film)
        try:
            for frame in film.frames(RATE, size):
                lines.look(frame.time, frame.image)
                progress(frame.time)
        except BadFileError:
            # Nothing can be decoded; whoever needs the picture says so.
            return Cues()
        return as_cues(lines.lines, film.duration)


def reading_size(film: VideoFile) -> Size:
    """The size in which pictures are read: `LINES` on the shorter side, and not wider than three times that."""
    width, height = film.info.upright or (LINES, LINES)
    ratio = LINES / min(width, height)
    return Size(min(3 * LINES, round(width * ratio)), min(3 * LINES, round(height * ratio)))


class _Screen:
    """What stands on the screen, picture by picture."""

    def __init__(self, read: Callable[[Image], Sequence[Reading]]) -> None:
        self.read = read
        self.lines: list[_Line] = []
        self.open: list[_Line] = []
        self.before: Mask | None = None
        self.known: Mask | None = None
        self.time = 0.0

    def look(self, time: float, image: Image) -> None:
        """Take in the next picture, (H, W, 3)."""
        strokes = find_strokes(image)
        if self.before is None or self.known is None:
            self.before, self.known = strokes, np.zeros_like(strokes)
        standing = strokes & self.before
        self._follow(time, strokes)
        region = new_region(standing, self.known)
        for line in self.open:
            if time >= line.again:
                region = line.box if region is None else region.union(line.box)
                line.again = float("inf")
        if region is not None:
            region = region.grown(MARGIN, *image.shape[:2])
            self._read(time, image, strokes, region)
            region.of_strokes(self.known)[:] = region.of_strokes(standing)
        # What is gone must be new when it comes back.
        self.known &= strokes | self.before
        self.before, self.time = strokes, time

    def _follow(self, time: float, strokes: Mask) -> None:
        """Lines whose strokes are still there go on; something that passes by may cover them for one picture."""
        for line in self.open:
            if agreement(line.box.of_strokes(strokes), line.strokes) >= SAME:
                line.last = time
        self.open = [line for line in self.open if time - line.last < 1.5 / RATE]

    def _read(self, time: float, image: Image, strokes: Mask, region: Box) -> None:
        for found in self.read(image[region.top : region.bottom, region.left : region.right]):
            if not _is_line(found.text) or found.score < SURE / 2:
                continue
            box = Box(
                found.box.top + region.top,
                min(found.box.bottom + region.top, image.shape[0]),
                found.box.left + region.left,
                min(found.box.right + region.left, image.shape[1]),
            )
            here = box.of_strokes(strokes).copy()
            line = next((line for line in self.open if line.box.overlap(box) > OVERLAP), None)
            if line is not None and not _continues(found.text, line.best()[0]):
                # Other words took its place when they were first there.
                line.last = max(line.first, self.time - 1 / RATE)
                self.open.remove(line)
                line = None
            if line is None:
                # It stood there in the picture before already, or it would not have been read.
                line = _Line(box, here, self.time, time, time + AGAIN)
                self.lines.append(line)
                self.open.append(line)
            else:
                line.box, line.strokes = box, here
            line.readings.append((found.text, found.score))


def as_cues(lines: Sequence[_Line], duration: float) -> Cues:
    """The lines as cues: readings of one line joined, logos and what is not sure left out."""
    joined: list[_Line] = []
    for line in sorted(lines, key=lambda line: line.first):
        same = next(
            (other for other in reversed(joined) if _same(other, line) and line.first - other.last <= GAP), None
        )
        if same is None:
            joined.append(line)
        else:
            same.last = max(same.last, line.last)
            same.readings += line.readings
    cues = []
    for line in joined:
        text, score = line.best()
        if any(_is_part(line, other) for other in joined):
            continue
        shown = sum(other.last - other.first for other in joined if _same(other, line))
        logo = duration >= SHORT_FILM and shown >= NEVER_LEAVES * duration
        end = min(line.last + 1 / RATE, duration)
        if score >= SURE and line.last - line.first >= SHORTEST and not logo and line.first < end:
            cues.append(Cue(Span(start=line.first, end=end), "read", text, min(1.0, score)))
    return Cues(tuple(cues))


def _same(one: _Line, other: _Line) -> bool:
    """Whether two lines at one place say nearly the same."""
    if one.box.overlap(other.box) < OVERLAP:
        return False
    return _alike(one.best()[0], other.best()[0]) >= ALIKE


def _is_part(line: _Line, other: _Line) -> bool:
    """Whether a line is a part of another one that stood there at the same time."""
    text, whole = line.best()[0], other.best()[0]
    together = line.first <= other.last and other.first <= line.last
    return len(text) < len(whole) and text in whole and together and line.box.overlap(other.box) >= OVERLAP


def _continues(text: str, before: str) -> bool:
    """Whether two readings at one place may be of one line: alike, or one a part of the other, as while it fades in."""
    return text in before or before in text or _alike(text, before) >= OVERLAP


def _alike(one: str, other: str) -> float:
    return SequenceMatcher(None, one.lower(), other.lower()).ratio()


def tidied(text: str) -> str:
    """A line as it was meant: with the blanks of "200ml" and "21/2 cups", and pounds for what looks like them (Ib)."""
    text = _MIXED.sub(r"\1 \2", _JOINED.sub(" ", one_line(text)))
    return _DOTTED.sub(r"\1 ", _POUNDS.sub(r"l\1", text))


def _is_line(text: str) -> bool:
    """Whether it is text for people: letters in a row, and mostly letters and figures."""
    signs = sum(not (sign.isalnum() or sign.isspace()) for sign in text)
    latin = re.search(r"[A-Za-zÀ-ɏ]{2}", text)
    return latin is not None and len(text) >= 3 and signs <= len(text) / 3
