"""Encoding many films: a job that runs anywhere, resumes where it stopped, and names what failed."""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from cookscribe.encoders import load_encoder
from cookscribe.encoders.base import Encoder, EncoderOptions, Progress
from cookscribe.encoders.store import FeatureStore
from cookscribe.errors import BadFileError, BadValueError, MissingFileError
from cookscribe.files import write_text
from cookscribe.senses.transcripts import Transcript
from cookscribe.video import Limits, VideoFile
from cookscribe.video.container import distinct, video_id

SUFFIXES = {
    *(".mp4", ".m4v", ".mov", ".3gp", ".mkv", ".webm", ".avi", ".ts", ".m2ts", ".mts"),
    *(".mpg", ".mpeg", ".vob", ".flv", ".ogv", ".wmv", ".asf"),
}


@dataclass(frozen=True)
class Encoded:
    """One film, encoded: rows of the track, seconds of film, seconds of work, and what was wrong with the film."""

    rows: int
    width: int
    duration: float
    took: float
    warnings: tuple[str, ...]


@dataclass(frozen=True)
class EncodeJob:
    """Everything a process, here or on another machine, needs to encode films into a feature folder.

    Attributes:
        encoder: name, e.g. "effnet" or "effnet+speech".
        out: feature folder, see `FeatureStore`.
        options: for the encoder.
        limits: for the films.
        half: store rows as float16, in half the space.
    """

    encoder: str
    out: Path
    options: EncoderOptions = field(default_factory=EncoderOptions)
    limits: Limits = field(default_factory=Limits)
    half: bool = False

    def __call__(self) -> Callable[[Path, Progress], Encoded]:
        """Load the encoder; returns the function that encodes one film."""
        encoder = load_encoder(self.encoder, self.options)
        store = FeatureStore(self.out)

        def work(path: Path, progress: Progress) -> Encoded:
            began = time.monotonic()
            video = VideoFile(path, self.limits, threads=1)
            track = encoder.encode(video, progress)
            transcript = spoken(encoder)
            if transcript is not None:
                write_words(words_path(self.out, video_id(path)), video_id(path), transcript)
            if self.half:
                largest = float(np.finfo(np.float16).max)
                track = replace(track, values=np.clip(track.values, -largest, largest).astype(np.float16))
            # Last, because the feature file is what says that a film is done.
            store.write(video_id(path), track)
            return Encoded(len(track.times), track.width, track.duration, time.monotonic() - began, video.warnings)

        return work

    def done(self, path: Path) -> bool:
        """True if the film has features of this encoder. Features of another encoder are not overwritten."""
        store = FeatureStore(self.out)
        if video_id(path) not in store:
            return False
        try:
            existing = store.read(video_id(path)).encoder
        except BadFileError:
            return False  # damaged: encode again
        if existing != self.encoder:
            raise BadValueError(
                store.path(video_id(path)), f"holds {existing} features, not {self.encoder}", "choose another folder"
            )
        return True


def find_films(places: Sequence[Path]) -> list[Path]:
    """The films named, and those inside the folders named, sorted within a folder. Two films of one id are an error."""
    films: list[Path] = []
    for place in places:
        if place.is_dir():
            inside = sorted(path for path in place.iterdir() if path.suffix.lower() in SUFFIXES and path.is_file())
            if not inside:
                raise MissingFileError(place, "holds no film", "name a folder of films, or films")
            films += inside
        else:
            films.append(place)
    return distinct(films, video_id, "id", "features are stored by id")


def spoken(encoder: Encoder) -> Transcript | None:
    """The words of the film encoded last, if this encoder listens."""
    for part in getattr(encoder, "encoders", (encoder,)):
        transcript = getattr(part, "transcript", None)
        if isinstance(transcript, Transcript):
            return transcript
    return None


def words_path(folder: Path, video: str) -> Path:
    """Where the words of a film are kept, beside its features."""
    return folder / f"{video}.words.jsonl"


def write_words(path: Path, video: str, transcript: Transcript) -> None:
    """Words with times, in the format that `read_timed_transcripts` reads: one segment per word."""
    segments = [
        {"start": round(float(start), 3), "end": round(float(end), 3), "text": word}
        for word, (start, end) in zip(transcript.words, transcript.times, strict=True)
    ]
    write_text(path, json.dumps({"video_id": video, "segments": segments}, ensure_ascii=False) + "\n")
