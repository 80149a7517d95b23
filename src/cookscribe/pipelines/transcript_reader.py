"""Narrated videos as the model sees them: events, the words around them, and ingredients, given or heard."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from cookscribe.candidates import Candidates
from cookscribe.errors import BadFileError
from cookscribe.files import MOST_DESCRIPTION, read_json, write_json
from cookscribe.model.story_input import StoryInput
from cookscribe.senses.event_words import IngredientFinder, name_words, transcript_table
from cookscribe.senses.transcripts import Transcript
from cookscribe.senses.word_space import TranscriptWords, WordSpace
from cookscribe.track import FeatureTrack

NAMES = "ingredients.json"


@dataclass(frozen=True, eq=False)
class NarratedVideo:
    """A video of which only the words are known.

    Attributes:
        heard: the words that are read; track: the speech track; ingredients: names that are said.
        duration: seconds.
    """

    heard: TranscriptWords
    track: FeatureTrack
    ingredients: tuple[str, ...]
    duration: float


@dataclass(frozen=True, eq=False)
class TranscriptReader:
    """Turns transcripts into what the model reads. Ships with a bundle.

    Attributes:
        space: the words that are read; names: ingredients that are listened for.
    """

    space: WordSpace
    names: tuple[str, ...]

    @cached_property
    def finder(self) -> IngredientFinder:
        """Finds the names."""
        return IngredientFinder(self.names)

    def listen(self, transcript: Transcript, duration: float) -> NarratedVideo:
        """Everything that is read from a transcript."""
        heard = self.space.heard(transcript)
        return NarratedVideo(heard, self.space.track(heard, duration), self.finder(transcript), duration)

    def input(
        self, video: NarratedVideo, spans: NDArray[np.floating], ingredients: Sequence[str] | None = None
    ) -> StoryInput:
        """The input for these events, (N, 2) seconds in order of start.

        Args:
            ingredients: the list, if it is given, best in the order of use; None takes the ingredients heard.
        """
        given = ingredients is not None
        names = name_words(ingredients if ingredients is not None else video.ingredients, self.space, given=given)
        spans = np.asarray(spans, dtype=np.float64).reshape(-1, 2)
        events = Candidates(
            spans, np.full(len(spans), 0.5), video.duration, features=video.track.over(spans).astype(np.float32)
        )
        nothing = np.zeros((len(spans), 0, 0), dtype=np.int64)
        return StoryInput(events, (), nothing, transcript_table(video.heard, events.spans, names, video.duration))

    def save(self, folder: Path) -> None:
        """Write words, vectors and names."""
        self.space.save(folder)
        write_json(folder / NAMES, list(self.names), indent=None)

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Read what `save` wrote."""
        names = read_json(folder / NAMES, MOST_DESCRIPTION)
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise BadFileError(folder / NAMES, "is not a list of ingredient names")
        return cls(WordSpace.load(folder), tuple(names))
