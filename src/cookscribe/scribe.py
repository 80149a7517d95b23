"""The main job as a library: a video in, a `Recipe` out.

scribe = cookscribe.load("kitchen")
recipe = scribe.write("soup.mp4", ingredients=["onion", "butter", "stock"])
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

import numpy as np

from cookscribe import __version__
from cookscribe.bundle import DESCRIPTION, Bundle, find_bundle
from cookscribe.candidates import Candidates, tiou_matrix
from cookscribe.encoders import Encoder, EncoderOptions, load_encoder
from cookscribe.errors import BadFileError, BadValueError
from cookscribe.proposals.pdvc.propose import Proposer
from cookscribe.recipe import Candidate, Evidence, Influence, MadeBy, Recipe, Span, Step, StepEvidence, Video
from cookscribe.story import Story, StoryStep
from cookscribe.story_writer import StoryWriter
from cookscribe.text.actions import ActionMatcher
from cookscribe.text.ingredients import IngredientMatcher
from cookscribe.text.printable import one_line
from cookscribe.track import FeatureTrack
from cookscribe.video import VideoFile

# Called with the name of a stage and the share of it that is done, 0 to 1.
Stage = Callable[[str, float], None]

STRONGEST = 5  # attentions shown per step
TOUCHING = 0.5  # seconds between two steps that follow each other without a break
MOST_INGREDIENTS = 60
LONGEST_INGREDIENT = 120  # characters
DRAWN_LABEL = "simulated"  # the first word of the comment in every drawn film


def silent_stage(stage: str, share: float) -> None:
    """A `Stage` that tells nobody."""
    del stage, share


class RecipeWriter(Protocol):
    """What every scribe can do, whether it watches or listens."""

    def write(
        self,
        video: str | Path | VideoFile,
        ingredients: Sequence[str] | None = None,
        title: str | None = None,
        stage: Stage = silent_stage,
    ) -> Recipe:
        """Take a film and write its recipe."""


class Scribe:
    """Encoder, proposals and recipe model of one bundle, loaded once and used for any number of videos.

    `unlisted` writes instead of `writer` when nobody knows the ingredients.
    """

    def __init__(
        self,
        bundle: Bundle,
        encoder: Encoder,
        proposer: Proposer,
        writer: StoryWriter,
        unlisted: StoryWriter | None = None,
    ) -> None:
        self.bundle, self.encoder, self.proposer, self.writer = bundle, encoder, proposer, writer
        self.unlisted = unlisted or writer

    def write(
        self,
        video: str | Path | VideoFile,
        ingredients: Sequence[str] | None = None,
        title: str | None = None,
        stage: Stage = silent_stage,
    ) -> Recipe:
        """Watch a video and write its recipe.

        Args:
            video: a local film, or one that is open.
            ingredients: what is used, if known; it makes the sentences better.
            title: of the recipe; by default made from the file's name.
            stage: is told how far the work is.
        """
        names = clean_ingredients(ingredients or ())
        film = VideoFile.of(video)
        track = self.encoder.encode(film, lambda seconds: stage("watching", share(seconds, film)))
        if self.bundle.config.simulated and not is_drawn_film(film):
            film.warn(
                "the evidence is weak: this film is not a drawn one, so how sure the model says it is means nothing"
            )
        return self.tell(track, names, described(film), title or title_of(film.path), film.warnings, stage)

    def tell(
        self,
        track: FeatureTrack,
        ingredients: Sequence[str],
        video: Video,
        title: str,
        warnings: Sequence[str] = (),
        stage: Stage = silent_stage,
    ) -> Recipe:
        """Write the recipe of an encoded video."""
        stage("proposing", 0.0)
        candidates = self.proposer.propose(track)
        stage("writing", 0.0)
        writer = self.writer if ingredients else self.unlisted
        story = writer.write([writer.prepare(candidates, ingredients, track, name=video.name)])[0]
        steps = steps_apart(story.steps, candidates, self.bundle.config.most_overlap)
        story = replace(story, steps=steps)
        stage("writing", 1.0)
        return self._recipe(story, writer.config.actions, candidates, ingredients, video, title, warnings)

    def _recipe(
        self,
        story: Story,
        verbs: Sequence[str],
        candidates: Candidates,
        ingredients: Sequence[str],
        video: Video,
        title: str,
        warnings: Sequence[str],
    ) -> Recipe:
        # Where one of several encoders found out that the film ends early, another may have seen more of it.
        readable = (step for step in story.steps if step.span[0] < video.duration)
        told = sorted(readable, key=lambda step: (step.span[0], step.span[1]))
        matcher = IngredientMatcher(ingredients)
        actions = ActionMatcher(verbs)
        steps = tuple(
            Step(
                span=Span(start=float(step.span[0]), end=min(float(step.span[1]), video.duration)),
                sentence=step.sentence or "(no words)",
                confidence=self.bundle.config.calibrated(confidence(step, candidates), listed=bool(ingredients)),
                ingredients=tuple(ingredients[i] for i in sorted(matcher.named(step.sentence))),
                actions=tuple(verbs[i] for i in sorted(actions.named(step.sentence))),
            )
            for step in told
        )
        chosen = {step.choice: number for number, step in enumerate(told)}
        captions = candidates.captions or ("",) * len(candidates)
        evidence = Evidence(
            candidates=tuple(
                Candidate(
                    span=Span(start=float(start), end=float(end)),
                    score=float(np.clip(candidates.scores[n], 0.0, 1.0)),
                    step=chosen.get(n),
                    caption=captions[n],
                )
                for n, (start, end) in enumerate(candidates.spans)
            ),
            steps=tuple(step_evidence(step, verbs, ingredients) for step in told),
        )
        notes = [*warnings, *self._notes(steps, ingredients, story.reason)]
        return Recipe(
            title=title,
            ingredients=tuple(ingredients),
            steps=steps,
            video=video,
            made_by=MadeBy(version=__version__, model=self.bundle.config.name, simulated=self.bundle.config.simulated),
            evidence=evidence,
            warnings=tuple(notes),
        )

    def _notes(self, steps: Sequence[Step], ingredients: Sequence[str], reason: str) -> list[str]:
        """What the reader must know before trusting the recipe."""
        config, notes = self.bundle.config, []
        if not steps:
            notes.append(f"no recipe was found: {reason or 'nothing in the film looked like a step'}")
        else:
            mean = sum(step.confidence or 0.0 for step in steps) / len(steps)
            if mean < config.weak:
                notes.append(f"the evidence is weak (mean confidence {mean:.0%}): take this as a draft")
        if config.simulated:
            notes.append(
                "this model has only seen drawn films of the simulated kitchen; on others its words are guesses"
            )
        strange = [name for name in ingredients if not self.writer.reader.knows(name)]
        if strange and self.writer.config.model.ingredients:
            notes.append(f"the model has never read of {', '.join(strange)}: no sentence can name them")
        if not ingredients and self.writer.config.model.ingredients:
            notes.append("no ingredients were given; with a list the sentences are better")
        return notes


def load(name: str | Path) -> RecipeWriter:
    """The scribe of a shipped bundle (by name) or of any bundle (by folder)."""
    bundle = find_bundle(name)
    if bundle.config.kind == "speech":
        from cookscribe.speech_scribe import SpeechScribe

        return SpeechScribe.load(bundle)
    return load_film_scribe(bundle)


def load_film_scribe(bundle: Bundle, encoder: Encoder | None = None) -> Scribe:
    """The scribe of a bundle that watches.

    Args:
        encoder: use this one instead of loading the bundle's own.
    """
    try:
        encoder = encoder or load_encoder(bundle.config.encoder, EncoderOptions(rate=bundle.config.rate))
    except BadValueError as error:
        raise BadFileError(bundle.folder / DESCRIPTION, f"encoder: {error}") from None
    proposer, writer = Proposer.load(bundle.proposals), StoryWriter.load(bundle.story, members=bundle.members)
    unlisted = StoryWriter.load(bundle.unlisted) if bundle.unlisted else None
    widths = {bundle.proposals: proposer.config.feature_size, bundle.story: writer.config.track_width}
    if bundle.unlisted and unlisted:
        widths[bundle.unlisted] = unlisted.config.track_width
    for folder, width in widths.items():
        if width != encoder.width:
            raise BadFileError(folder, f"reads {width} columns, the bundle's encoder gives {encoder.width}")
    return Scribe(bundle, encoder, proposer, writer, unlisted)


def clean_ingredients(names: Sequence[str]) -> list[str]:
    """Names in printable characters, without blanks at the ends, empty ones and repetitions.

    Raises:
        BadValueError: more or longer names than any recipe has, which means that a wrong text was given.
    """
    cleaned = [name for name in dict.fromkeys(map(one_line, names)) if name]
    if len(cleaned) > MOST_INGREDIENTS:
        raise BadValueError("ingredients", f"{len(cleaned)} names, more than {MOST_INGREDIENTS}", "separate by commas")
    if (longest := max(cleaned, key=len, default="")) and len(longest) > LONGEST_INGREDIENT:
        raise BadValueError(
            "ingredients", f"the name {longest[:40]!r}... has {len(longest)} characters", "separate by commas"
        )
    return cleaned


def title_of(path: Path) -> str:
    """`my_tomato-soup.mp4` becomes `My tomato soup`."""
    words = one_line(path.stem.replace("_", " ").replace("-", " "))
    return words[:1].upper() + words[1:] if words else "Recipe"


def share(seconds: float, film: VideoFile) -> float:
    """How much of a film `seconds` are, 0 to 1."""
    return min(1.0, seconds / film.duration) if film.duration > 0 else 1.0


def is_drawn_film(film: VideoFile) -> bool:
    """Whether the film says of itself that the simulated kitchen drew it."""
    return (film.info.comment or "").startswith(DRAWN_LABEL)


def described(film: VideoFile) -> Video:
    """What the recipe says of its film."""
    width, height = film.info.upright or (None, None)
    # Some systems allow what elsewhere separates folders.
    name = film.path.name.replace("\\", "_")
    return Video(name=name, duration=film.duration, width=width, height=height)


def confidence(step: StoryStep, candidates: Candidates) -> float:
    """How sure the model is of a step, 0 to 1, in its own measure; the bundle knows how often it is right then.

    Many candidates are near copies of each other and share the probability of one event. So the probability of the
    event is that of all candidates that overlap the chosen one by half. It is multiplied by the mean (geometric)
    probability of a word.
    """
    near = tiou_matrix(candidates.spans[step.choice], candidates.spans)[0] >= 0.5
    near[step.choice] = True
    event = float(step.event_probabilities[1:][near].sum())
    return float(np.clip(event * math.exp(min(0.0, step.sentence_score)), 0.0, 1.0))


def steps_apart(steps: Sequence[StoryStep], candidates: Candidates, most: float) -> tuple[StoryStep, ...]:
    """The steps in order of time, none of which tells another one's event again.

    Args:
        most: of two steps whose temporal IoU is above this the surer one stays; neighbours that overlap less meet in
            the middle of what they share, unless one lies within the other or a third one is in the way. 1 leaves all
            steps as they are.
    """
    if most >= 1:
        return tuple(steps)
    kept: list[StoryStep] = []
    for step in sorted(steps, key=lambda step: -confidence(step, candidates)):
        others = np.array([other.span for other in kept]).reshape(-1, 2)
        if not (tiou_matrix(step.span[None], others) > most).any():
            kept.append(step)
    kept.sort(key=lambda step: (step.span[0], step.span[1]))
    spans = np.array([step.span for step in kept]).reshape(-1, 2)
    for number, (end, start) in enumerate(zip(spans[:-1, 1], spans[1:, 0], strict=True)):
        if start < end < spans[number + 1, 1]:
            met = spans.copy()
            met[number, 1] = met[number + 1, 0] = (start + end) / 2
            # A third step in the same time may make it worse; then they stay as they are.
            ordered = bool((np.diff(met[:, 0]) >= 0).all())
            if ordered and not (np.triu(tiou_matrix(met, met), 1) > most).any():
                spans = met
    return told_once([replace(step, span=span) for step, span in zip(kept, spans, strict=True)])


def told_once(steps: Sequence[StoryStep]) -> tuple[StoryStep, ...]:
    """Steps in order of time; one that goes on where the last one ends, and says nothing new, becomes one with it."""
    told: list[StoryStep] = []
    for step in steps:
        before = told[-1] if told else None
        if before is not None and step.span[0] - before.span[1] <= TOUCHING:
            words = set(before.sentence.split()), set(step.sentence.split())
            if words[0] <= words[1] or words[1] <= words[0]:
                fuller = step if words[0] < words[1] else before
                span = np.array([before.span[0], max(before.span[1], step.span[1])])
                told[-1] = replace(fuller, span=span)
                continue
        told.append(step)
    return tuple(told)


def step_evidence(step: StoryStep, verbs: Sequence[str], ingredients: Sequence[str]) -> StepEvidence:
    """The strongest attentions of a step, and how far the ingredients have changed."""
    return StepEvidence(
        event_probability=float(np.clip(step.event_probabilities[step.choice + 1], 0.0, 1.0)),
        actions=_strongest(step.actions, verbs),
        ingredients=_strongest(step.ingredients, ingredients),
        change=() if step.change is None else tuple(float(value) for value in step.change),
    )


def _strongest(weights: np.ndarray | None, names: Sequence[str]) -> tuple[Influence, ...]:
    if weights is None or not len(names):
        return ()
    order = np.argsort(-weights[: len(names)], kind="stable")[:STRONGEST]
    return tuple(Influence(name=names[i], weight=float(np.clip(weights[i], 0.0, 1.0))) for i in order)
