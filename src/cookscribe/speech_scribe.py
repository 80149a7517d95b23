"""The scribe of narrated films: what is said becomes a recipe. Subtitles beside the film save the listening.

scribe = cookscribe.load("youcook2-speech")
recipe = scribe.write("soup.mp4")                                  # soup.vtt beside it, or a speech recogniser
recipe = scribe.write("soup.mp4", ingredients=["onion", "stock"])
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from cookscribe import __version__
from cookscribe.candidates import Candidates
from cookscribe.errors import BadValueError
from cookscribe.proposals.spans import SpanFinder, check_width, load_finder
from cookscribe.recipe import Candidate, Evidence, Influence, MadeBy, Recipe, Span, Step, StepEvidence, Video
from cookscribe.scribe import Stage, clean_ingredients, described, silent_stage, title_of
from cookscribe.senses.listening import Hearing
from cookscribe.senses.transcripts import Transcript
from cookscribe.senses.word_space import HeardText
from cookscribe.story import StoryStep
from cookscribe.story_writer import StoryWriter
from cookscribe.text.actions import ActionMatcher, packaged_verbs
from cookscribe.text.ingredients import IngredientMatcher, canonical
from cookscribe.transcript_reader import Listener
from cookscribe.video import VideoFile

if TYPE_CHECKING:
    from cookscribe.bundle import Bundle

LISTENER, SPANS = "listener", "spans"
# Fewer words heard in a step than this, and its sentence is mostly a guess.
FEW_WORDS = 4


class SpeechScribe:
    """Word space, span model and writer of one bundle, loaded once and used for any number of films.

    Attributes:
        hearing: where the words of a film come from.
    """

    def __init__(self, bundle: Bundle, listener: Listener, finder: SpanFinder, writer: StoryWriter) -> None:
        self.bundle, self.listener, self.finder, self.writer = bundle, listener, finder, writer
        self.hearing = Hearing()
        self.verbs = packaged_verbs()
        self._actions = ActionMatcher(self.verbs)

    @classmethod
    def load(cls, bundle: Bundle) -> SpeechScribe:
        """Open the parts of a bundle."""
        listener = Listener.load(bundle.folder / LISTENER)
        finder, writer = load_finder(bundle.folder / SPANS), StoryWriter.load(bundle.story)
        check_width(finder, listener.space.track_width, bundle.folder)
        if writer.config.read_words != listener.space.words:
            raise BadValueError(bundle.folder, "the writer was trained with other words", "pack the bundle again")
        return cls(bundle, listener, finder, writer)

    def write(
        self,
        video: str | Path | VideoFile,
        ingredients: Sequence[str] | None = None,
        title: str | None = None,
        stage: Stage = silent_stage,
        transcript: Transcript | None = None,
    ) -> Recipe:
        """Listen to a film and write its recipe.

        Args:
            video: a local film, or one that is open.
            ingredients: what is used, if known; otherwise the ingredients that are said are taken.
            title: of the recipe; by default made from the file's name.
            stage: is told how far the work is.
            transcript: what is said; if left out, subtitles beside the film are read, and without them the speech
                recogniser listens.
        """
        film = VideoFile.of(video)
        if transcript is None:
            transcript = self.hearing(film, stage)
        return self.tell(transcript, ingredients, described(film), title or title_of(film.path), film.warnings, stage)

    def tell(
        self,
        transcript: Transcript,
        ingredients: Sequence[str] | None,
        video: Video,
        title: str,
        warnings: Sequence[str] = (),
        stage: Stage = silent_stage,
    ) -> Recipe:
        """Write the recipe of a film whose words are known."""
        given = clean_ingredients(ingredients or ())
        notes = list(warnings)
        if not len(transcript):
            silent = "no word can be made out in what can be read of the film" if notes else "nobody speaks in the film"
            notes.append(f"no recipe was found: {silent}")
            return self._recipe((), None, given, video, title, notes)
        stage("writing", 0.0)
        heard = self.listener.listen(transcript, video.duration)
        events = self.finder.find(heard.track)
        story = self.writer.write([self.listener.input(heard, events.spans, given or None)])[0]
        stage("writing", 1.0)
        names = given or named_in(story.steps, heard.ingredients)
        if not transcript.timed:
            notes.append(
                "the words have no times; they were spread over the film, so the times of the steps are guesses"
            )
        if not given:
            notes.append("no ingredients were given; those listed were heard")
        return self._recipe(told_steps(story.steps, events, heard.heard), events, names, video, title, notes)

    def _recipe(
        self,
        told: Sequence[tuple[StoryStep, float]],
        events: Candidates | None,
        ingredients: Sequence[str],
        video: Video,
        title: str,
        notes: list[str],
    ) -> Recipe:
        matcher = IngredientMatcher(ingredients)
        steps = tuple(
            Step(
                span=Span(start=float(step.span[0]), end=min(float(step.span[1]), video.duration)),
                sentence=step.sentence or "(no words)",
                confidence=sure,
                ingredients=tuple(ingredients[i] for i in sorted(matcher.named(step.sentence))),
                actions=tuple(self.verbs[i] for i in sorted(self._actions.named(step.sentence))),
            )
            for step, sure in told
        )
        mean = float(np.mean([sure for _, sure in told])) if told else 0.0
        if told and mean < self.bundle.config.weak:
            notes.append(f"the evidence is weak (mean confidence {mean:.0%}): take this as a draft")
        evidence = None
        if events is not None:
            evidence = Evidence(
                candidates=tuple(
                    Candidate(span=Span(start=float(a), end=float(b)), score=float(np.clip(score, 0, 1)), step=n)
                    for n, ((a, b), score) in enumerate(zip(events.spans, events.scores, strict=True))
                ),
                steps=tuple(
                    StepEvidence(event_probability=float(np.clip(events.scores[step.choice], 0, 1)), ingredients=named)
                    for (step, _), named in zip(told, (_named(step.ingredients) for step in steps), strict=True)
                ),
            )
        return Recipe(
            title=title,
            ingredients=tuple(ingredients),
            steps=steps,
            video=video,
            made_by=MadeBy(version=__version__, model=self.bundle.config.name),
            evidence=evidence,
            warnings=tuple(notes),
        )


def told_steps(steps: Sequence[StoryStep], events: Candidates, heard: HeardText) -> tuple[tuple[StoryStep, float], ...]:
    """Each step with how sure it is, 0 to 1.

    The geometric mean probability of a word, times the estimated overlap of the event with a true step, less where
    hardly anything was said.
    """
    found = []
    for step in steps:
        start, end = step.span
        words = int(((heard.times >= start) & (heard.times < end)).sum())
        sure = math.exp(min(0.0, step.sentence_score)) * math.sqrt(float(np.clip(events.scores[step.choice], 0, 1)))
        found.append((step, float(np.clip(sure * min(1.0, (words + 1) / FEW_WORDS), 0.0, 1.0))))
    return tuple(found)


def named_in(steps: Sequence[StoryStep], names: Sequence[str]) -> list[str]:
    """The heard ingredients that a sentence names, in order of first mention: the list of the recipe.

    A name in both numbers ("onion", "onions") stands there once.
    """
    matcher = IngredientMatcher(names)
    found: dict[tuple[str, ...], str] = {}
    for step in steps:
        for mention in matcher.find(step.sentence):
            name = names[mention.ingredient]
            found.setdefault(tuple(canonical(word) for word in name.split()), name)
    return list(found.values())


def _named(names: Sequence[str]) -> tuple[Influence, ...]:
    return tuple(Influence(name=name, weight=1.0) for name in names)
