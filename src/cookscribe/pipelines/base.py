"""What every pipeline takes and gives: an open film with what is known of it, and a draft of its recipe."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from cookscribe.bundle import Bundle
from cookscribe.candidates import Candidates
from cookscribe.recipe import StepEvidence
from cookscribe.story import StoryStep
from cookscribe.video import VideoFile

if TYPE_CHECKING:
    from cookscribe.cues import Cues
    from cookscribe.senses.listening import Listening
    from cookscribe.senses.screen_text import ScreenText
    from cookscribe.senses.sight import Seen
    from cookscribe.senses.transcripts import Transcript

# Called with the name of a stage and the share of it that is done, 0 to 1.
Stage = Callable[[str, float], None]


def silent_stage(stage: str, share: float) -> None:
    """A `Stage` that does nothing."""
    del stage, share


@dataclass(eq=False)
class Request:
    """One film to be written about, and what is known of it beforehand.

    Attributes:
        film: open.
        ingredients: what is used; empty if nobody knows.
        title: of the dish, if somebody gave it; "" otherwise.
        listen: gives what hears the words of films, which is loaded when it is first needed.
        stage: called with how far the work is.
        reader: gives what reads the text that films show, or None if it is not read.
        seen: what is to be seen in the film, once a pipeline has looked at it.
        rest: lets go of what hears and reads; it is loaded again when it is needed again.
    """

    film: VideoFile
    ingredients: Sequence[str]
    listen: Callable[[], Listening]
    stage: Stage = silent_stage
    title: str = ""
    reader: Callable[[], ScreenText | None] = lambda: None
    seen: Seen | None = None
    rest: Callable[[], None] = lambda: None

    @cached_property
    def transcript(self) -> Transcript:
        """What is said in the film; it is listened to once."""
        listening = self.listen()
        self.stage("listening", 0.0)
        return listening(self.film, lambda seconds: self.stage("listening", self.share(seconds)))

    @cached_property
    def read(self) -> Cues:
        """The lines that the film shows; they are read once."""
        reading = self.reader()
        if reading is None:
            from cookscribe.cues import Cues

            return Cues()
        return reading(self.film, lambda seconds: self.stage("reading", self.share(seconds)))

    def share(self, seconds: float) -> float:
        """How much of the film `seconds` are, 0 to 1."""
        return min(1.0, seconds / self.film.duration) if self.film.duration > 0 else 1.0


def make_room(request: Request) -> None:
    """Before a large model is loaded: let go of what the film was taken in with."""
    request.rest()
    give_back_memory()


def give_back_memory() -> None:
    """Return to the system what is free; the C library of Linux keeps most of it."""
    with suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)


SIMULATED_LABEL = "simulated"  # the first word of the comment in every film that the laboratory draws


def is_drawn_film(film: VideoFile) -> bool:
    """Whether the film says of itself that the laboratory drew it."""
    return (film.info.comment or "").startswith(SIMULATED_LABEL)


@dataclass(frozen=True, eq=False)
class Draft:
    """What a pipeline found in a film.

    Attributes:
        steps: in any order, each with the candidate it came from.
        confidences: per step, how sure the model is in its own measure, 0 to 1; the bundle calibrates it.
        candidates: the events there were to choose from.
        evidence: per step.
        ingredients: names, given or found.
        actions: names of the actions that are looked for in the sentences.
        notes: what the reader must know before trusting the recipe.
        cues: what was heard, read and seen.
    """

    steps: Sequence[StoryStep]
    confidences: Sequence[float]
    candidates: Candidates | None
    evidence: Sequence[StepEvidence]
    ingredients: Sequence[str]
    actions: Sequence[str]
    notes: list[str] = field(default_factory=list)
    cues: Cues | None = None


class Pipeline(Protocol):
    """A bundle at work: its models, loaded once and used for any number of films."""

    bundle: Bundle

    def draft(self, request: Request) -> Draft:
        """The draft of the film's recipe."""
