"""Where the words of a film come from: those that were given, the subtitles beside it, or the speech recogniser."""

from pathlib import Path

import numpy as np

from cookscribe.encoders.base import Progress, silent
from cookscribe.senses.recogniser import SMALLEST, FromFile, Recogniser, Whisper, check_recogniser
from cookscribe.senses.subtitles import find_transcript, read_transcript
from cookscribe.senses.transcripts import Transcript
from cookscribe.video import VideoFile


class Listening:
    """The words of any number of films.

    Args:
        given: where the words come from; None, or the name of a speech recogniser (`RECOGNISERS`) or its folder, reads
            the subtitles beside a film, and where there are none, loads that recogniser, once for all films.
        device: where the speech recogniser runs.
    """

    def __init__(self, given: Recogniser | str | None = None, device: str | None = None) -> None:
        self.name = check_recogniser(given) if isinstance(given, str) else SMALLEST
        self.given = None if isinstance(given, str) else given
        self.device = device
        self._recogniser: Recogniser | None = None

    def needs_sound(self, film: VideoFile) -> bool:
        """Whether the film itself must be listened to."""
        return self.given is None and find_transcript(film.path) is None

    def __call__(self, film: VideoFile, progress: Progress = silent) -> Transcript:
        """The words that are said in what can be read of the film."""
        recogniser = self.given
        if recogniser is None:
            if (beside := find_transcript(film.path)) is not None:
                # The words were written down for the whole film, even if this copy of it ends early.
                return readable_words(read_transcript(beside, film.info.duration), film)
            if self._recogniser is None:
                self._recogniser = Whisper(name=self.name, device=self.device)
            recogniser = self._recogniser
        progress(0.0)
        return readable_words(recogniser(film, progress), film)


def recogniser_from_file(path: Path) -> Recogniser:
    """A recogniser that reads: JSON lines of many videos by file name, or the subtitles or text of a single one."""
    if path.suffix.lower() == ".jsonl":
        return FromFile(path)

    def read(video: VideoFile, progress: Progress = silent) -> Transcript:
        progress(video.info.duration)
        return read_transcript(path, video.info.duration)

    return read


def readable_words(transcript: Transcript, film: VideoFile) -> Transcript:
    """Without what is said after the last readable moment of a film that ends early, as reading all of it shows."""
    film.skim()
    if film.duration >= film.info.duration:
        return transcript
    count = int((transcript.times[:, 0] < film.duration).sum())
    times = np.minimum(transcript.times[:count], film.duration)
    return Transcript(transcript.words[:count], times, transcript.timed)
