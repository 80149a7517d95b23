"""The paper's way: frames become features, PDVC proposes events, the recipe model chooses and writes."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Self

import numpy as np

from cookscribe.bundle import DESCRIPTION, Bundle
from cookscribe.candidates import Candidates, tiou_matrix
from cookscribe.encoders import Encoder, EncoderOptions, load_encoder
from cookscribe.errors import BadFileError, BadValueError
from cookscribe.pipelines.base import Draft, Request, is_drawn_film
from cookscribe.pipelines.story_writer import StoryWriter
from cookscribe.proposals.pdvc.propose import Proposer
from cookscribe.recipe import Influence, StepEvidence
from cookscribe.story import StoryStep
from cookscribe.track import FeatureTrack

STRONGEST = 5  # attentions shown per step
TOUCHING = 0.5  # seconds between two steps that follow each other without a break


class VisualPipeline:
    """Encoder, proposals and recipe model of one bundle; `without_ingredients` writes when nobody knows them."""

    def __init__(
        self,
        bundle: Bundle,
        encoder: Encoder,
        proposer: Proposer,
        writer: StoryWriter,
        without_ingredients: StoryWriter | None = None,
    ) -> None:
        self.bundle, self.encoder, self.proposer, self.writer = bundle, encoder, proposer, writer
        self.without_ingredients = without_ingredients or writer

    @classmethod
    def load(cls, bundle: Bundle, device: str = "cpu", encoder: Encoder | None = None) -> Self:
        """Open the models of a bundle; `encoder` replaces the bundle's own."""
        try:
            encoder = encoder or load_encoder(
                bundle.config.encoder, EncoderOptions(rate=bundle.config.rate, device=device)
            )
        except BadValueError as error:
            raise BadFileError(bundle.folder / DESCRIPTION, f"encoder: {error}") from None
        proposer = Proposer.load(bundle.proposals, device)
        writer = StoryWriter.load(bundle.story, device, bundle.members)
        without = None
        widths = {bundle.proposals: proposer.config.feature_size, bundle.story: writer.config.track_width}
        if bundle.without_ingredients is not None:
            without = StoryWriter.load(bundle.without_ingredients, device)
            widths[bundle.without_ingredients] = without.config.track_width
        for folder, width in widths.items():
            if width != encoder.width:
                raise BadFileError(folder, f"reads {width} columns, the bundle's encoder gives {encoder.width}")
        return cls(bundle, encoder, proposer, writer, without)

    def draft(self, request: Request) -> Draft:
        """Watch the film, propose events, choose among them and write."""
        request.stage("watching", 0.0)
        track = self.encoder.encode(request.film, lambda seconds: request.stage("watching", request.share(seconds)))
        if self.bundle.config.simulated and not is_drawn_film(request.film):
            request.film.warn(
                "the evidence is weak: this film is not a drawn one, so how sure the model says it is means nothing"
            )
        request.stage("proposing", 0.0)
        return self.draft_of(track, request.ingredients, request.film.path.name, request)

    def draft_of(
        self, track: FeatureTrack, ingredients: Sequence[str], name: str = "video", request: Request | None = None
    ) -> Draft:
        """The draft of a video that is encoded already."""
        candidates = self.proposer.propose(track)
        if request is not None:
            request.stage("writing", 0.0)
        writer = self.writer if ingredients else self.without_ingredients
        story = writer.write([writer.prepare(candidates, ingredients, track, name=name)])[0]
        steps = steps_apart(story.steps, candidates, self.bundle.config.most_overlap)
        actions = writer.config.actions
        notes = [] if steps else [f"no recipe was found: {story.reason or 'nothing in the film looked like a step'}"]
        return Draft(
            steps=steps,
            confidences=[confidence(step, candidates) for step in steps],
            candidates=candidates,
            evidence=[step_evidence(step, actions, ingredients) for step in steps],
            ingredients=ingredients,
            actions=actions,
            notes=notes + self._notes(ingredients),
        )

    def _notes(self, ingredients: Sequence[str]) -> list[str]:
        notes = []
        if self.bundle.config.simulated:
            notes.append(
                "this model has only seen drawn films of the simulated kitchen; on others its words are guesses"
            )
        if self.writer.config.model.ingredients:
            strange = [name for name in ingredients if not self.writer.reader.knows(name)]
            if strange:
                notes.append(f"the model has never read of {', '.join(strange)}: no sentence can name them")
            if not ingredients:
                notes.append("no ingredients were given; with a list the sentences are better")
        return notes


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
    return merge_continuations([replace(step, span=span) for step, span in zip(kept, spans, strict=True)])


def merge_continuations(steps: Sequence[StoryStep]) -> tuple[StoryStep, ...]:
    """Steps in order of time; one that goes on where the last one ends, and says nothing new, becomes one with it."""
    merged: list[StoryStep] = []
    for step in steps:
        before = merged[-1] if merged else None
        if before is not None and step.span[0] - before.span[1] <= TOUCHING:
            words = set(before.sentence.split()), set(step.sentence.split())
            if words[0] <= words[1] or words[1] <= words[0]:
                fuller = step if words[0] < words[1] else before
                span = np.array([before.span[0], max(before.span[1], step.span[1])])
                merged[-1] = replace(fuller, span=span)
                continue
        merged.append(step)
    return tuple(merged)


def step_evidence(step: StoryStep, actions: Sequence[str], ingredients: Sequence[str]) -> StepEvidence:
    """The strongest attentions of a step, and how far the ingredients have changed."""
    return StepEvidence(
        event_probability=float(np.clip(step.event_probabilities[step.choice + 1], 0.0, 1.0)),
        actions=_strongest(step.actions, actions),
        ingredients=_strongest(step.ingredients, ingredients),
        change=() if step.change is None else tuple(float(value) for value in step.change),
    )


def _strongest(weights: np.ndarray | None, names: Sequence[str]) -> tuple[Influence, ...]:
    if weights is None or not len(names):
        return ()
    order = np.argsort(-weights[: len(names)], kind="stable")[:STRONGEST]
    return tuple(Influence(name=names[i], weight=float(np.clip(weights[i], 0.0, 1.0))) for i in order)
