"""`Transcript`: what is said in a video, word by word with times, whatever the recogniser gave."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray
from pydantic import TypeAdapter

from cookscribe.cues import Cue, Cues
from cookscribe.errors import BadFileError, BadValueError
from cookscribe.files import read_json_lines
from cookscribe.recipe import Span
from cookscribe.text.printable import one_line
from cookscribe.validation import Published, Seconds, checked

# Recognisers often end a segment where the next one starts, pauses included; nobody needs longer for a word than this.
LONGEST_WORD = 1.0
# Phrases: seconds of silence between two, and words of one.
PAUSE, MOST_PHRASE = 1.0, 14
GUESSED_TIME = 0.3
# Nobody says what has more characters than this: it is an address, or no text at all.
MOST_CHARACTERS = 100
# Seconds; subtitles can write no later time.
LATEST = 3_600_000.0
# Words per second of film that nobody reaches, with some to spare for very short films; 5 are fast.
FASTEST, SPARE = 20.0, 500
# Bytes of a file with the transcripts of many videos; those of all YouCook2 have 9 MB.
MOST_BYTES = 64 * 2**20


@dataclass(frozen=True, eq=False)
class Transcript:
    """The W words said in a video.

    Attributes:
        words: the words as recognised, punctuation attached.
        times: (W, 2) start and end of each word in seconds, in order of start.
        timed: True when the times come from a recogniser; False when the words were only spread evenly over the video,
            so that a time is a guess within minutes.
    """

    words: tuple[str, ...]
    times: NDArray[np.float64]
    timed: bool

    def __post_init__(self) -> None:
        times = np.asarray(self.times, dtype=np.float64).reshape(-1, 2)
        object.__setattr__(self, "times", times)
        if len(times) != len(self.words):
            raise BadValueError("transcript", f"{len(self.words)} words but {len(times)} times")
        if not np.isfinite(times).all() or (times < 0).any() or (times[:, 1] < times[:, 0]).any():
            raise BadValueError("transcript", "a word's time is not finite, negative or reversed")
        if (np.diff(times[:, 0]) < 0).any():
            raise BadValueError("transcript", "the words are not in order of their start")

    def __len__(self) -> int:
        return len(self.words)

    @property
    def text(self) -> str:
        """All words."""
        return " ".join(self.words)

    def between(self, start: float, end: float) -> str:
        """The words whose middle lies in [start, end), joined by blanks: adjoining spans share no word."""
        middle = self.times.mean(axis=1)
        return " ".join(self.words[i] for i in np.flatnonzero((middle >= start) & (middle < end)))

    def cues(self) -> Cues:
        """The words as phrases, each up to a full stop, a pause or `MOST_PHRASE` words.

        A guessed time gets `GUESSED_TIME` as confidence: the words are right, when they are said is not known.
        """
        phrases: list[Cue] = []
        first = 0
        for place, word in enumerate(self.words):
            last = place + 1 == len(self.words)
            pause = 0.0 if last else self.times[place + 1, 0] - self.times[place, 1]
            if last or pause > PAUSE or place + 1 - first >= MOST_PHRASE or word.endswith((".", "!", "?")):
                start, end = self.times[first, 0], self.times[first : place + 1, 1].max()
                text = " ".join(self.words[first : place + 1])
                span = Span(start=float(start), end=float(end))
                phrases.append(Cue(span, "heard", text, 1.0 if self.timed else GUESSED_TIME))
                first = place + 1
        return Cues(tuple(phrases))

    @classmethod
    def from_segments(cls, segments: Iterable[tuple[float, float, str]]) -> Self:
        """From recognised segments (start, end, text): each one's words are spread evenly over it, pauses cut off."""
        words: list[str] = []
        times: list[NDArray[np.float64]] = [np.empty((0, 2))]
        for start, end, text in sorted(segments, key=lambda segment: segment[0]):
            if not 0 <= start <= end <= LATEST:
                raise BadValueError(
                    "transcript",
                    f"the segment from {start:g} to {end:g} s is negative, reversed or later than any film",
                )
            new = split_words(text)
            words += new
            times.append(_spread(len(new), start, min(end, start + LONGEST_WORD * len(new))))
        # Recognised segments may overlap by a little; what counts is that words stay in the order they were said.
        joined = np.concatenate(times)
        joined[:, 0] = np.maximum.accumulate(joined[:, 0])
        joined[:, 1] = np.maximum(joined[:, 0], joined[:, 1])
        return cls(tuple(words), joined, timed=True)

    @classmethod
    def from_text(cls, text: str, duration: float) -> Self:
        """From text without times: the words are spread evenly over the whole video."""
        words = tuple(split_words(text))
        borders = np.linspace(0.0, duration, len(words) + 1)
        return cls(words, np.stack([borders[:-1], borders[1:]], axis=1), timed=False)


def split_words(text: str) -> list[str]:
    """The words of a text. Signs of markup that are left over, and what is too long for a word, are not said."""
    words = one_line(text.replace("<", " ").replace(">", " ")).split()
    return [word for word in words if len(word) <= MOST_CHARACTERS]


def check_fits(transcript: Transcript, duration: float, path: Path) -> None:
    """Refuse words that cannot be those of a film which lasts `duration` seconds."""
    cause = ""
    if len(transcript) > FASTEST * duration + SPARE:
        cause = f"{len(transcript)} words"
    elif len(transcript) and (late := float(transcript.times[:, 0].max())) > duration + 5:
        cause = f"words at {late:.0f} s"
    if cause:
        raise BadFileError(path, f"{cause}, but the film lasts {duration:.0f} s", "is it of another film?")


def _spread(count: int, start: float, end: float) -> NDArray[np.float64]:
    """(count, 2) equal stretches of [start, end]."""
    borders = start + (end - start) / max(count, 1) * np.arange(count + 1)
    return np.stack([borders[:-1], borders[1:]], axis=1)


class _Segment(Published):
    start: Seconds
    end: Seconds
    text: str


class _Timed(Published):
    video_id: str
    segments: list[_Segment]


class _Untimed(Published):
    video_id: str
    text: str


_TIMED, _UNTIMED = TypeAdapter(_Timed), TypeAdapter(_Untimed)


def read_timed_transcripts(path: Path) -> dict[str, Transcript]:
    """Read JSON lines `{"video_id", "segments": [{"start", "end", "text"}]}`.

    Only the recogniser's own text is taken; human corrections and labels in the same file would leak annotation.
    """
    transcripts: dict[str, Transcript] = {}
    for number, value in read_json_lines(path, MOST_BYTES):
        subject = f"{path}, line {number}"
        entry = checked(value, _TIMED, subject, "a timed transcript")
        try:
            transcript = Transcript.from_segments((part.start, part.end, part.text) for part in entry.segments)
        except BadValueError as error:
            raise BadFileError(subject, f"{entry.video_id}: {error.cause}") from None
        _add(transcripts, entry.video_id, transcript, subject)
    return transcripts


def read_untimed_transcripts(path: Path, durations: Mapping[str, float]) -> dict[str, Transcript]:
    """Read JSON lines `{"video_id", "text"}`; `durations` (seconds by id) say over how long the words are spread."""
    transcripts: dict[str, Transcript] = {}
    for number, value in read_json_lines(path, MOST_BYTES):
        subject = f"{path}, line {number}"
        entry = checked(value, _UNTIMED, subject, "a transcript")
        if entry.video_id not in durations:
            raise BadFileError(
                subject, f"the duration of {entry.video_id} is not known", "give a file of video lengths"
            )
        _add(transcripts, entry.video_id, Transcript.from_text(entry.text, durations[entry.video_id]), subject)
    return transcripts


def _add(transcripts: dict[str, Transcript], video_id: str, transcript: Transcript, subject: str) -> None:
    if video_id in transcripts:
        raise BadFileError(subject, f"{video_id} stands twice")
    transcripts[video_id] = transcript
