"""Decoding: the model writes the recipe, and nothing of the truth is known.

All videos of a batch go on together, step by step. A video leaves at STOP, when no candidate is left, or after
`max_steps`. A chosen event is written about at once, so event and sentence cannot slip against each other, and it is
not chosen again (unless `reuse` allows it). The first step
cannot be STOP: a video with candidates always yields a recipe, and one without says so.
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import Field
from torch import Tensor

from cookscribe.config import Config
from cookscribe.model.batch import Inputs, take
from cookscribe.model.beyond.ensemble import Member, SentenceContext, plan_together, select_together
from cookscribe.model.beyond.fast import fused_weights
from cookscribe.model.beyond.repetition import RepetitionRules
from cookscribe.model.beyond.story_decoding import planned_slots, refined_spans
from cookscribe.model.recipe_model import RecipeModel
from cookscribe.model.sentences import Written, write_sentences
from cookscribe.story import Story, StoryStep


class DecodingConfig(Config):
    """How a trained model writes.

    Attributes:
        max_steps, max_words: limits of a recipe and of a sentence.
        beam: sentences kept at once; 1 is greedy.
        length_penalty: a sentence of n words competes by its log-probability divided by n ** length_penalty.
        order: "free" lets the model go back in time (unless it was trained not to), "start" only allows events that
            start later than the last one.
        reuse: True lets a step choose an event again.
        stop_first: True lets the first step be STOP: a recipe without steps.
        any_word: True lets a sentence hold UNK, or no word. With these three the choice is the paper's plain argmax.
        no_repeat_ngram: a sentence may not hold this many words in a row that an earlier sentence of the recipe has,
            unless nothing else can be said; 0 for no such rule.
        no_repeat_from: words from this id on (a vocabulary begins with the most frequent ones) stand at most once in a
            sentence; 0 for no such rule.
        may_repeat: ids of words that are free of the rule `no_repeat_from`.
        stop_bias: added to the logit of STOP; above 0 gives shorter recipes.
        selection: "stepwise" chooses one event after another, as the paper does; "all" writes about every candidate in
            order, because somebody else has chosen them; "quality", "chain", "counted" and "both" take the best story
            of the planner's plan, whose borders are refined (see `beyond.story_decoding`).
        count_weight: of "chain".
        refine: False leaves a planned story the candidates' own borders.
        vote: True lets all candidates in the same place agree on the refined borders (see `refinement.voted_times`).
    """

    max_steps: int = Field(default=16, ge=1, le=200)
    max_words: int = Field(default=20, ge=1, le=200)
    beam: int = Field(default=1, ge=1, le=100)
    length_penalty: float = Field(default=1.0, ge=0, le=10)
    order: Literal["free", "start"] = "free"
    reuse: bool = False
    stop_first: bool = False
    any_word: bool = False
    no_repeat_ngram: int = Field(default=0, ge=0, le=200)
    no_repeat_from: int = Field(default=0, ge=0, le=2**20)
    may_repeat: tuple[int, ...] = ()
    stop_bias: float = Field(default=0.0, ge=-1e6, le=1e6)
    selection: Literal["stepwise", "all", "quality", "chain", "counted", "both"] = "stepwise"
    count_weight: float = Field(default=1.0, ge=0, le=1000)
    refine: bool = True
    vote: bool = False


NO_CANDIDATES = "no candidate event was offered"
STOPPED = "the model stopped before its first step"


@torch.no_grad()
def write_stories(
    model: RecipeModel,
    inputs: Inputs,
    spans: Sequence[NDArray[np.float64]],
    words: Sequence[str],
    config: DecodingConfig,
    members: Sequence[RecipeModel] = (),
) -> list[Story]:
    """Write the recipes of a batch of videos.

    Args:
        model: in evaluation mode.
        inputs: real candidates and ingredients first, padding behind.
        spans: per video, (N, 2) seconds, in the order of `inputs`.
        words: the vocabulary, word by id.
        members: further models of an ensemble, see `beyond.ensemble`; the evidence of the steps is that of `model`.
    """
    models = (model, *members)
    with fused_weights(*models):
        return _write_stories(models, inputs, spans, words, config)


def _write_stories(
    models: Sequence[RecipeModel],
    inputs: Inputs,
    spans: Sequence[NDArray[np.float64]],
    words: Sequence[str],
    config: DecodingConfig,
) -> list[Story]:
    steps: list[list[StoryStep]] = [[] for _ in spans]
    videos = torch.tensor([i for i, span in enumerate(spans) if len(span)], device=inputs.times.device)
    if not len(videos):
        return [Story((), NO_CANDIDATES) for _ in spans]
    inputs, spans = take(inputs, videos), [span for span in spans if len(span)]
    members = tuple(Member(model, model.encode(inputs)) for model in models)
    # (B, max_steps) where the events are not chosen step by step.
    chosen: Tensor | None = None
    if config.selection == "all":
        chosen = all_slots(inputs.event_mask, config.max_steps)
    elif config.selection != "stepwise":
        plan = plan_together(members, inputs)
        chosen = planned_slots(plan, config.selection, longest=config.max_steps, count_weight=config.count_weight)
        spans = refined_spans(plan, inputs.times, spans, vote=config.vote) if config.refine else spans
    span_of = dict(zip(videos.tolist(), spans, strict=True))
    allowed = members[0].encoded.events.slot_mask.clone()
    forward_only = "start" in (config.order, *(model.config.order for model in models))
    rules = RepetitionRules(len(steps), config.no_repeat_ngram, config.no_repeat_from, config.may_repeat)
    for number in range(config.max_steps):
        choice, probabilities = choose_slots(select_together(members), allowed, config, first=number == 0)
        if chosen is not None:
            choice = chosen[:, number]
        going = (choice != 0).nonzero().squeeze(1)
        if not len(going):
            break
        if len(going) < len(choice):
            batch = (videos, allowed, choice, probabilities, chosen, members)
            videos, allowed, choice, probabilities, chosen, members = take(batch, going)
        contexts = [member.open(choice) for member in members]
        forbid = rules.of(videos.tolist())
        limits = (config.max_words, config.beam, config.length_penalty)
        written = write_sentences(contexts, *limits, forbid, any_word=config.any_word)
        for member, sentence, read in zip(members, written.finished, written.read, strict=True):
            member.close(sentence, read)
        evidence = _Evidence(contexts[0], written, choice)
        for row, video in enumerate(videos.tolist()):
            rules.add(video, written.words[row])
            span, slot = span_of[video], int(choice[row])
            steps[video].append(
                StoryStep(
                    choice=slot - 1,
                    span=np.asarray(span[slot - 1], dtype=np.float64),
                    sentence=" ".join(words[i] for i in written.words[row]),
                    event_probabilities=probabilities[row, : len(span) + 1].double().cpu().numpy(),
                    sentence_score=float(written.scores[row]),
                    **evidence.of(row),
                )
            )
        if not config.reuse:
            allowed[torch.arange(len(choice), device=choice.device), choice] = False
        if forward_only:
            slots = torch.arange(allowed.shape[1], device=choice.device)
            allowed &= (slots == 0) | (slots > choice.unsqueeze(1))
    empty = [STOPPED if video in span_of else NO_CANDIDATES for video in range(len(steps))]
    return [Story(tuple(found), "" if found else why) for found, why in zip(steps, empty, strict=True)]


def all_slots(event_mask: Tensor, max_steps: int) -> Tensor:
    """(B, max_steps) all slots of the (B, N) real candidates in order, then 0 (STOP)."""
    number = torch.arange(1, max_steps + 1, device=event_mask.device)
    return torch.where(number <= event_mask.sum(dim=1, keepdim=True), number, 0)


def choose_slots(logits: Tensor, allowed: Tensor, config: DecodingConfig, *, first: bool) -> tuple[Tensor, Tensor]:
    """The best allowed slot of each video, (B,), and the probabilities of all slots, (B, N + 1).

    Args:
        logits: (B, N + 1); allowed: (B, N + 1) True for STOP and for candidates that may still be chosen.
        first: at the first step STOP keeps its probability but is not chosen, unless `config.stop_first`.
    """
    logits = logits.masked_fill(~allowed, float("-inf"))
    logits[:, 0] += config.stop_bias
    probabilities = logits.softmax(dim=-1)
    if first and not config.stop_first:
        logits[:, 0] = float("-inf")
    return logits.argmax(dim=-1), probabilities


class _Evidence:
    """What the simulator and textual attention saw in this step, trimmed to each video's own ingredients."""

    def __init__(self, context: SentenceContext, written: Written, choice: Tensor) -> None:
        encoded, simulation = context.encoded, context.selection.simulation
        self.present = simulation is not None
        if simulation is None or encoded.raw_ingredients is None:
            return
        self.counts = encoded.ingredient_mask.sum(dim=1).tolist()
        self.change = (simulation.ingredient_states - encoded.raw_ingredients).norm(dim=-1)
        attention = context.model.context(written.hidden, encoded, context.selection)
        if attention is not None:
            # The strongest look of any word: a step uses what at least one of its words names.
            real = written.real.unsqueeze(-1)
            self.actions = attention.actions.masked_fill(~real, 0.0).amax(dim=1)
            self.ingredients = attention.ingredients.masked_fill(~real, 0.0).amax(dim=1)
        else:
            rows = torch.arange(len(choice), device=choice.device)
            self.actions = simulation.action_events[rows, :, choice - 1]
            self.ingredients = simulation.ingredient_events[rows, :, choice - 1]

    def of(self, row: int) -> dict[str, NDArray[np.float64]]:
        if not self.present:
            return {}
        count = self.counts[row]
        return {
            "actions": self.actions[row].double().cpu().numpy(),
            "ingredients": self.ingredients[row, :count].double().cpu().numpy(),
            "change": self.change[row, :count].double().cpu().numpy(),
        }
