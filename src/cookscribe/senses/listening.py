"""Where the words of a film come from: those that were given, the subtitles beside it, or the speech recogniser."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cookscribe.scribe import Stage, share
from cookscribe.senses.subtitles import find_transcript, read_transcript
from cookscribe.senses.transcripts import Transcript
from cookscribe.video import VideoFile

if TYPE_CHECKING:
    from cookscribe.senses.recogniser import Listener


class Hearing:
    """The words of any number of films.

    Args:
        given: where the words come from; None reads the subtitles beside a film, and where there are none, loads the
            speech recogniser, once for all films.
    """

    def __init__(self, given: Listener | None = None) -> None:
        self.given = given
        self._recogniser: Listener | None = None

    def needs_sound(self, film: VideoFile) -> bool:
        """Whether the film itself must be listened to."""
        return self.given is None and find_transcript(film.path) is None

    def __call__(self, film: VideoFile, stage: Stage) -> Transcript:
        """The words that are said in what can be read of the film."""
        listener = self.given
        if listener is None:
            if (beside := find_transcript(film.path)) is not None:
                # The words were written down for the whole film, even if this copy of it ends early.
                return readable_words(read_transcript(beside, film.info.duration), film)
            if self._recogniser is None:
                from cookscribe.senses.recogniser import Whisper

                self._recogniser = Whisper()
            listener = self._recogniser
        stage("listening", 0.0)
        return readable_words(listener(film, lambda seconds: stage("listening", share(seconds, film))), film)


def readable_words(transcript: Transcript, film: VideoFile) -> Transcript:
    """Without what is said after the last readable moment of a film that ends early."""
    if film.duration >= film.info.duration:
        return transcript
    count = int((transcript.times[:, 0] < film.duration).sum())
    times = np.minimum(transcript.times[:count], film.duration)
    return Transcript(transcript.words[:count], times, transcript.timed)
