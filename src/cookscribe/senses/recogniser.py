"""Speech recognition: what is said in a film, word by word with times (Whisper), or read from a file of transcripts."""

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray

from cookscribe.encoders.base import Progress, silent
from cookscribe.encoders.weights import locate
from cookscribe.errors import BadFileError, BadValueError, MissingDependencyError
from cookscribe.files import read_json_lines
from cookscribe.senses.transcripts import (
    MOST_BYTES,
    Transcript,
    check_fits,
    read_timed_transcripts,
    read_untimed_transcripts,
)
from cookscribe.video import VideoFile

SOUND_RATE = 16_000
# Sound is recognised in pieces of this many seconds, so that memory does not grow with the film.
PIECE = 300.0
# A piece is cut at the quietest moment of its last seconds, where the cut is least likely to go through a word.
SEARCHED = 20.0


# The names under which users choose a recogniser, and those of its weights.
RECOGNISERS = {"tiny": "whisper", "base": "whisper-base", "small": "whisper-small"}
SMALLEST = "tiny"
_KNOWN = f"known: {', '.join(RECOGNISERS)}"


class Recogniser(Protocol):
    """Gives the words of a film."""

    def __call__(self, video: VideoFile, progress: Progress = silent) -> Transcript: ...


class Whisper:
    """Recognises speech with faster-whisper, word by word.

    Args:
        weights: folder of a CTranslate2 Whisper model; None searches for that of `name`.
        language: language spoken, for models that know several.
        device: where it runs, e.g. "cuda"; None is the processor.
        name: one of `RECOGNISERS`, or the folder of any CTranslate2 Whisper model.
    """

    def __init__(
        self, weights: Path | None = None, language: str = "en", device: str | None = None, name: str = SMALLEST
    ) -> None:
        if importlib.util.find_spec("faster_whisper") is None:
            raise MissingDependencyError(
                "speech", "faster-whisper is not installed", "pip install 'cookscribe[speech]'"
            )
        from faster_whisper import WhisperModel

        known = RECOGNISERS.get(check_recogniser(name))
        folder = locate(known, weights).folder if known else Path(name)
        try:
            self.model: Any = WhisperModel(
                str(folder),
                device=(device or "cpu").split(":")[0],
                compute_type="int8",
                cpu_threads=torch.get_num_threads(),
                local_files_only=True,
            )
        except (RuntimeError, ValueError, OSError) as error:
            raise BadFileError(folder, f"does not hold a Whisper model: {error}", "give another path") from None
        self.language = language

    def __call__(self, video: VideoFile, progress: Progress = silent) -> Transcript:
        """The words of the film; an empty transcript if it has no sound or nobody speaks."""
        words: list[str] = []
        times: list[tuple[float, float]] = []
        for start, samples in pieces(video.sound()):
            for word, begin, end in self._recognised(samples, progress, start):
                words.append(word)
                times.append((begin, end))
        spans = np.array(times, dtype=np.float64).reshape(-1, 2)
        # Whisper's word times may step back by a few hundredths of a second.
        spans[:, 0] = np.maximum.accumulate(np.maximum(spans[:, 0], 0.0))
        spans[:, 1] = np.maximum(spans[:, 0], spans[:, 1])
        return Transcript(tuple(words), spans, timed=True)

    def words(self, samples: NDArray[np.float32]) -> str:
        """What is said in a few seconds of mono sound at `SOUND_RATE`."""
        return " ".join(word for word, _, _ in self._recognised(samples, silent, 0.0))

    def _recognised(
        self, samples: NDArray[np.float32], progress: Progress, offset: float
    ) -> Iterator[tuple[str, float, float]]:
        segments, _ = self.model.transcribe(
            samples,
            language=self.language,
            beam_size=1,
            # A window that comes out badly is tried twice more. The usual five times, with five samples each, take
            # far longer in noise and make about as many errors (docs/speed.md).
            temperature=(0.0, 0.4, 0.8),
            best_of=1,
            word_timestamps=True,
            vad_filter=True,  # without it Whisper invents words over music and frying noise
            condition_on_previous_text=False,  # or one invented sentence is repeated to the end
        )
        for segment in segments:
            for word in segment.words or ():
                if text := word.word.strip():
                    yield text, offset + float(word.start), offset + float(word.end)
            progress(offset + float(segment.end))
        progress(offset + len(samples) / SOUND_RATE)


def check_recogniser(name: str) -> str:
    """The name, if a speech recogniser has it or it is the folder of one."""
    if name not in RECOGNISERS and not (Path(name) / "model.bin").is_file():
        raise BadValueError("--recogniser", f"{name!r} is neither a known one nor a folder with a model.bin", _KNOWN)
    return name


class FromFile:
    """Takes the words from a file of transcripts by video id (a film's id is its file name without the ending).

    The file holds JSON lines, either all timed, `{"video_id", "segments": [{"start", "end", "text"}]}`, or all untimed,
    `{"video_id", "text"}`; the words of the latter are spread evenly over the film.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.timed: dict[str, Transcript] = {}
        self.texts: dict[str, str] = {}
        _, first = next(iter(read_json_lines(path, MOST_BYTES)), (0, {}))
        if isinstance(first, dict) and "segments" in first:
            self.timed = read_timed_transcripts(path)
        else:
            entries = [value for _, value in read_json_lines(path, MOST_BYTES) if isinstance(value, dict)]
            # How long the videos are is not known yet; only the text is taken here.
            durations = {str(entry.get("video_id")): 1.0 for entry in entries}
            untimed = read_untimed_transcripts(path, durations)
            self.texts = {video: transcript.text for video, transcript in untimed.items()}

    def ids(self) -> list[str]:
        """Ids of all videos in the file, sorted."""
        return sorted(self.timed.keys() | self.texts.keys())

    def transcript(self, video_id: str, duration: float) -> Transcript:
        """The words of a video that lasts `duration` seconds."""
        if video_id in self.timed:
            return self.timed[video_id]
        if video_id in self.texts:
            return Transcript.from_text(self.texts[video_id], duration)
        raise BadFileError(self.path, f"has no transcript of {video_id}", "leave it out to listen instead")

    def __call__(self, video: VideoFile, progress: Progress = silent) -> Transcript:
        progress(video.info.duration)
        transcript = self.transcript(video.path.stem, video.info.duration)
        check_fits(transcript, video.info.duration, self.path)
        return transcript


def pieces(blocks: Iterator[NDArray[np.float32]]) -> Iterator[tuple[float, NDArray[np.float32]]]:
    """(start in seconds, samples) of at most five minutes each, cut where it is quiet."""
    held: list[NDArray[np.float32]] = []
    length, start = 0, 0
    for block in blocks:
        held.append(block)
        length += len(block)
        while length >= PIECE * SOUND_RATE:
            samples = np.concatenate(held)
            cut = _quiet_moment(samples[: round(PIECE * SOUND_RATE)])
            yield start / SOUND_RATE, samples[:cut]
            held, length, start = [samples[cut:]], length - cut, start + cut
    if length:
        yield start / SOUND_RATE, np.concatenate(held)


def _quiet_moment(samples: NDArray[np.float32]) -> int:
    """The middle of the quietest half second near the end."""
    frame = SOUND_RATE // 10
    tail = samples[-round(SEARCHED * SOUND_RATE) :]
    energy = np.square(tail[: len(tail) // frame * frame]).reshape(-1, frame).sum(axis=1)
    smooth = np.convolve(energy, np.ones(5), mode="valid")
    return len(samples) - len(tail) + (int(smooth.argmin()) * frame + 5 * frame // 2)
