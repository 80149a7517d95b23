"""`--model auto`: which bundle a film deserves, or a plain reason why none fits.

A film that the simulated kitchen drew says so itself: it goes to the bundle that learnt from such films. Any other film
is listened to, unless its subtitles stand beside it. Where somebody explains the cooking, the bundle of narrated videos
writes the recipe. A real film in which nobody speaks cannot be read by any model that is shipped, and the error says
what can be done.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cookscribe.bundle import shipped
from cookscribe.encoders.base import Progress, silent
from cookscribe.errors import InputError, MissingDependencyError
from cookscribe.recipe import Recipe
from cookscribe.scribe import RecipeWriter, Stage, is_drawn_film, load, silent_stage
from cookscribe.senses.listening import Hearing
from cookscribe.senses.subtitles import read_transcript
from cookscribe.senses.transcripts import Transcript
from cookscribe.text.actions import ActionMatcher, packaged_verbs
from cookscribe.video import VideoFile

if TYPE_CHECKING:
    from cookscribe.senses.recogniser import Listener

DRAWN, NARRATED = "kitchen", "youcook2-speech"
# Somebody who cooks and explains it says this much at least. Greetings, songs and words that were imagined into the
# noise of a pan have fewer words, or none about cooking.
FEWEST_WORDS, FEWEST_ACTIONS = 20, 3
SILENT = "nobody speaks in it"

ADVICE = (
    "if its words are written somewhere, put them beside it as .vtt or .srt, or give --transcript; for silent films, "
    "train on features of films like it (README, for researchers) and name your bundle with --model; "
    "--model kitchen insists on the model of drawn films"
)


class NoModelFitsError(InputError):
    """No shipped bundle can read this film."""


class AutoScribe:
    """Chooses a bundle for each film; bundles and recogniser are loaded when they are first needed.

    Args:
        listener: where the words come from; None loads the speech recogniser.
        names: the bundles there are; by default those that are shipped.
        open_bundle: loads a scribe by name.
    """

    def __init__(
        self,
        listener: Listener | None = None,
        names: Sequence[str] | None = None,
        open_bundle: Callable[[str], RecipeWriter] = load,
    ) -> None:
        self._hearing = Hearing(listener)
        self._names = tuple(names) if names is not None else shipped()
        self._open = open_bundle
        self._scribes: dict[str, RecipeWriter] = {}

    def write(
        self,
        video: str | Path | VideoFile,
        ingredients: Sequence[str] | None = None,
        title: str | None = None,
        stage: Stage = silent_stage,
    ) -> Recipe:
        """Choose, then write.

        Raises:
            NoModelFitsError: no bundle can read this film; the message says why and what can be done.
            MissingDependencyError: listening needs something that is not installed.
        """
        film = VideoFile.of(video)
        if is_drawn_film(film):
            return self._scribe(DRAWN, film).write(film, ingredients, title, stage)
        transcript = self._heard(film, stage)
        if (reason := unusable(transcript)) is not None:
            raise _refusal(film, reason)
        scribe = self._scribe(NARRATED, film)
        from cookscribe.speech_scribe import SpeechScribe

        assert isinstance(scribe, SpeechScribe)
        return scribe.write(film, ingredients, title, stage, transcript=transcript)

    def _scribe(self, name: str, film: VideoFile) -> RecipeWriter:
        if name not in self._names:
            kind = "a drawn film" if name == DRAWN else "a narrated film"
            raise NoModelFitsError(
                film.path, f"is {kind}, but the bundle {name!r} is not installed", "name another one with --model"
            )
        if name not in self._scribes:
            self._scribes[name] = self._open(name)
        return self._scribes[name]

    def _heard(self, film: VideoFile, stage: Stage) -> Transcript:
        if self._hearing.needs_sound(film) and film.info.sound is None:
            raise _refusal(film, "has no sound")
        try:
            return self._hearing(film, stage)
        except MissingDependencyError as error:
            raise MissingDependencyError(
                film.path,
                f"is no drawn film, so it must be listened to, which cannot be done here: {error.subject}: "
                f"{error.cause}",
                f"{error.advice}; or give --transcript, or name a model with --model",
            ) from None


def _refusal(film: VideoFile, reason: str) -> NoModelFitsError:
    if film.warnings:
        # Somebody may well speak in what is lost, so that nothing is heard proves nothing.
        lost = "; ".join(film.warnings)
        silent = "no word can be made out in what can be read of it" if reason == SILENT else reason
        return NoModelFitsError(
            film.path,
            f"{lost}: the file is damaged or incomplete, and {silent}",
            f"try another copy of the film; {ADVICE}",
        )
    return NoModelFitsError(film.path, f"{reason}, and no model for silent real film is shipped", ADVICE)


def unusable(transcript: Transcript) -> str | None:
    """Why nothing can be made of these words, as the beginning of a sentence about the film; None if something can."""
    count = len(transcript)
    if not count:
        return SILENT
    if count < FEWEST_WORDS:
        return f"only {count} words were heard in it"
    verbs = packaged_verbs()
    if len(ActionMatcher(verbs).named(transcript.text)) < FEWEST_ACTIONS:
        return f"{count} words were heard in it, but hardly any about cooking"
    return None


def told_by(path: Path) -> Listener:
    """A listener that reads: JSON lines of many videos by file name, or the subtitles or text of a single one."""
    if path.suffix.lower() == ".jsonl":
        from cookscribe.senses.recogniser import FromFile

        return FromFile(path)

    def read(video: VideoFile, progress: Progress = silent) -> Transcript:
        progress(video.info.duration)
        return read_transcript(path, video.info.duration)

    return read
