"""Narrated films: what is said becomes a recipe. Subtitles beside the film save the listening."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path

import numpy as np

from cookscribe.bundle import LISTENER, SPANS, Bundle
from cookscribe.candidates import Candidates
from cookscribe.cues import Cues
from cookscribe.errors import BadValueError
from cookscribe.pipelines.base import Draft, Request, make_room
from cookscribe.pipelines.language import film_evidence, installed_writer, load_language_writer, writer_config
from cookscribe.pipelines.recipe_judge import RecipeJudge
from cookscribe.pipelines.step_signs import StepConfidence, step_signs
from cookscribe.pipelines.story_writer import StoryWriter
from cookscribe.pipelines.transcript_reader import NarratedVideo, TranscriptReader
from cookscribe.proposals.spans import SpanFinder, check_width, load_finder
from cookscribe.recipe import Influence, StepEvidence
from cookscribe.senses.event_words import distinct_names
from cookscribe.senses.transcripts import Transcript
from cookscribe.story import StoryStep
from cookscribe.text.actions import packaged_verbs
from cookscribe.text.ingredients import IngredientMatcher
from cookscribe.writer.language_writer import CALIBRATION, LanguageWriter, WriterConfig, Written


class SpeechPipeline:
    """Transcript reader, span model and writer of one bundle.

    A bundle may have two writers: the language model writes where it is installed, the recipe model elsewhere.
    """

    def __init__(
        self,
        bundle: Bundle,
        reader: TranscriptReader,
        finder: SpanFinder,
        writer: StoryWriter,
        confidence: StepConfidence,
        device: str = "cpu",
        adapters: Path | None = None,
        missing: str = "",
    ) -> None:
        """Put together; `adapters` is the folder of the language model's, `missing` says why there is none."""
        self.bundle, self.reader, self.finder, self.writer = bundle, reader, finder, writer
        self.confidence, self.device, self.adapters, self.missing = confidence, device, adapters, missing
        self.actions = packaged_verbs()

    @classmethod
    def load(cls, bundle: Bundle, device: str = "cpu", *, language: bool = True) -> SpeechPipeline:
        """Open the models of a bundle; without `language` its recipe models write, even if the language model could."""
        reader = TranscriptReader.load(bundle.folder / LISTENER)
        finder = load_finder(bundle.folder / SPANS, device)
        writer = StoryWriter.load(bundle.story, device, bundle.members)
        check_width(finder, reader.space.track_width, bundle.folder)
        if writer.config.read_words != reader.space.words:
            raise BadValueError(bundle.folder, "the writer was trained with other words", "pack the bundle again")
        adapters, missing = installed_writer(bundle) if language else (None, "")
        confidence = StepConfidence.of(adapters or bundle.folder)
        if adapters is not None:
            bundle = calibrated_for(bundle, writer_config(adapters))
        return cls(bundle, reader, finder, writer, confidence, device, adapters, missing)

    @cached_property
    def language(self) -> LanguageWriter | None:
        """The language model, loaded when the first film is heard and read."""
        return None if self.adapters is None else load_language_writer(self.adapters, self.device)

    def draft(self, request: Request) -> Draft:
        """Listen to the film, find the steps and write."""
        transcript, read = request.transcript, request.read
        request.stage("writing", 0.0)
        if self.adapters is not None and "language" not in vars(self):  # all at once would take too much memory
            make_room(request)
        damaged = bool(request.film.warnings)
        return self.draft_of(transcript, request.film.duration, request.ingredients, damaged, request.title, read)

    def draft_of(
        self,
        transcript: Transcript,
        duration: float,
        ingredients: Sequence[str] = (),
        damaged: bool = False,
        title: str = "",
        read: Cues | None = None,
    ) -> Draft:
        """The draft of a film of `duration` seconds whose words are known, and the lines that it shows (`read`)."""
        read = read or Cues()
        if not len(transcript):
            silent = (
                "no word can be made out in what can be read of the film" if damaged else "nobody speaks in the film"
            )
            return Draft((), (), None, (), ingredients, self.actions, [f"no recipe was found: {silent}"], read)
        heard = self.reader.listen(transcript, duration)
        events = self.finder.find(heard.track, transcript)
        steps = self.steps(transcript, heard, events, ingredients, title, read)
        names = list(ingredients) or named_in(steps, heard.ingredients)
        matcher = IngredientMatcher(names)
        notes = [self.missing] if self.missing else []
        if not transcript.timed:
            notes.append(
                "the words have no times; they were spread over the film, so the times of the steps are guesses"
            )
        if not ingredients:
            notes.append("no ingredients were given; those listed were heard")
        return Draft(
            steps=steps,
            confidences=self.confidence(step_signs(steps, events, heard.heard, self.reader)),
            candidates=events,
            evidence=[
                StepEvidence(
                    event_probability=float(np.clip(events.scores[step.choice], 0, 1)),
                    ingredients=tuple(
                        Influence(name=names[i], weight=1.0) for i in sorted(matcher.named(step.sentence))
                    ),
                )
                for step in steps
            ],
            ingredients=names,
            actions=self.actions,
            notes=notes,
            cues=transcript.cues() + read,
        )

    def steps(
        self,
        transcript: Transcript,
        heard: NarratedVideo,
        events: Candidates,
        ingredients: Sequence[str] = (),
        title: str = "",
        read: Cues | None = None,
    ) -> tuple[StoryStep, ...]:
        """A sentence for each of the events."""
        video = self.reader.input(heard, events.spans, ingredients or None)
        steps = self.writer.write([video])[0].steps
        if self.language is None:
            return steps
        drafts = [step.sentence for step in steps]
        film = film_evidence(
            events.spans,
            transcript=transcript,
            cues=read,
            title=title,
            ingredients=ingredients or distinct_names(heard.ingredients),
            given=bool(ingredients),
            drafts=drafts,
        )
        judge = RecipeJudge(self.writer, video, drafts, self.language.config.recipe_model_weight)
        return told_steps(events, self.language.write([film], [judge])[0])


def calibrated_for(bundle: Bundle, writer: WriterConfig) -> Bundle:
    """The bundle with the calibration of its language-model writer instead of its recipe model's."""
    changes = {name: value for name in CALIBRATION if (value := getattr(writer, name)) is not None}
    return replace(bundle, config=bundle.config.model_copy(update=changes))


def told_steps(events: Candidates, written: Sequence[Written]) -> tuple[StoryStep, ...]:
    """All events in their order, each with its sentence."""
    spans = np.asarray(events.spans, dtype=np.float64)
    certain = np.eye(len(events) + 1)
    return tuple(StoryStep(n, spans[n], one.sentence, certain[n + 1], one.score) for n, one in enumerate(written))


def named_in(steps: Sequence[StoryStep], names: Sequence[str]) -> list[str]:
    """The heard ingredients that a sentence names, in order of first mention: the list of the recipe."""
    matcher = IngredientMatcher(names)
    return distinct_names(names[mention.ingredient] for step in steps for mention in matcher.find(step.sentence))
