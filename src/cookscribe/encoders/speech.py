"""`speech`: what is said, as words with times (Whisper) and as sentence vectors over sliding windows (MiniLM)."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from cookscribe.encoders.base import Progress, silent
from cookscribe.encoders.minilm import SentenceVectors
from cookscribe.encoders.store import FeatureStore
from cookscribe.senses.recogniser import FromFile, Recogniser
from cookscribe.senses.transcripts import Transcript
from cookscribe.track import FeatureTrack
from cookscribe.video import VideoFile

WINDOW = 10.0
STRIDE = 2.0


class SpeechEncoder:
    """One row of 384 numbers per two seconds: what is said in the ten seconds around it; zeros where nobody speaks.

    Args:
        recogniser: where the words come from.
        weights: folder of the sentence model; None searches for it.

    Attributes:
        transcript: the words of the film encoded last, for whoever needs the words themselves.
    """

    name = "speech"
    width = SentenceVectors.width

    def __init__(self, recogniser: Recogniser, weights: Path | None = None) -> None:
        self.recogniser = recogniser
        self.vectors = SentenceVectors(weights)
        self.transcript: Transcript | None = None

    def encode(self, video: VideoFile, progress: Progress = silent) -> FeatureTrack:
        """(T, 384) float32. A film without speech gives zeros and a warning, so that it can still be joined."""
        self.transcript = self.recogniser(video, progress)
        if not len(self.transcript):
            video.warn("the film has no sound" if video.info.sound is None else "no speech was recognised")
        return self.track(self.transcript, video.duration)

    def track(self, transcript: Transcript, duration: float) -> FeatureTrack:
        """The same from a transcript alone: timed, or untimed and evenly spread."""
        times = (np.arange(max(1, round(duration / STRIDE))) + 0.5) * STRIDE
        times = np.minimum(times, duration)
        texts = [transcript.between(time - WINDOW / 2, time + WINDOW / 2) for time in times]
        # Neighbouring windows often hold the same words, and quiet ones none.
        distinct = sorted({text for text in texts if text})
        vectors = dict(zip(distinct, self.vectors(distinct), strict=True))
        silence = np.zeros(self.width, dtype=np.float32)
        values = np.stack([vectors.get(text, silence) for text in texts])
        return FeatureTrack(times, values, self.name, duration)


def encode_transcripts(
    source: FromFile, durations: Mapping[str, float], out: Path, weights: Path | None = None
) -> Iterator[str]:
    """Write a `speech` track for every transcript of a known length, without any film; yields the ids as they are done.

    Ids that are in `out` already are left as they are.
    """
    encoder, store = SpeechEncoder(source, weights), FeatureStore(out)
    for video_id in source.ids():
        if video_id in durations and video_id not in store:
            transcript = source.transcript(video_id, durations[video_id])
            store.write(video_id, encoder.track(transcript, durations[video_id]))
        yield video_id
