"""Decoding: the model writes the recipe, and nothing of the truth is known.

All videos of a batch go on together, step by step. A video leaves at STOP, when no candidate is left, or after
`max_steps`. A chosen event is written about at once, so event and sentence cannot slip against each other, and it is
not chosen again (unless `reuse` allows it). The first step
cannot be STOP: a video with candidates always yields a recipe, and one without says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import Field
from torch import Tensor

from cookscribe.config import Config
from cookscribe.errors import BadValueError
from cookscribe.model.batch import Inputs
from cookscribe.model.beyond.ensemble import Speaker, Voice, plan_together, select_together
from cookscribe.model.beyond.planner import SHORTEST_SHARE
from cookscribe.model.beyond.refinement import voted_times
from cookscribe.model.beyond.story_decoding import CHAIN_SHARE, plan_stories
from cookscribe.model.memory import products_kept
from cookscribe.model.recipe_model import RecipeModel
from cookscribe.model.sentences import SaidBefore, Written, write_sentences
from cookscribe.story import Story, StoryStep


class DecodingConfig(Config):
    """How a trained model is read out.

    Attributes:
        max_steps, max_words: limits of a recipe and of a sentence.
        beam: sentences kept at once; 1 is greedy.
        length_reward: a sentence of n words competes by its log-probability divided by n ** length_reward.
        order: "free" lets the model go back in time (unless it was trained not to), "start" only allows events that
            start later than the last one.
        reuse: True lets a step choose an event again, the paper's plain argmax.
        step_overlap: an event may be chosen after others if its temporal IoU with each is at most this; 1 for any. For
            "steps" only.
        new_words: a sentence may not hold this many words in a row that an earlier sentence of the recipe has, unless
            nothing else can be said; 0 for no such rule.
        once: words from this id on (a vocabulary begins with the most frequent ones) stand at most once in a sentence;
            0 for no such rule. A model that copies may otherwise say a heard word again and again.
        again: ids of words that are free of this rule.
        stop_bias: added to the logit of STOP; above 0 gives shorter recipes.
        events: "steps" chooses one event after another, as the paper does; "given" writes about every candidate in
            order, because somebody else has chosen them; "quality", "chain", "counted" and "both" tell the best
            story of the planner's plan, whose borders are refined (see `story_decoding`).
        max_overlap, count_weight, chain_share: of "quality", of "chain" and of "both".
        refine: False tells a planned story with the candidates' own borders.
        vote: True lets all candidates in the same place agree on the refined borders (see `refinement.voted_times`).
    """

    max_steps: int = Field(default=16, ge=1, le=200)
    max_words: int = Field(default=20, ge=1, le=200)
    beam: int = Field(default=1, ge=1, le=100)
    length_reward: float = Field(default=1.0, ge=0, le=10)
    order: Literal["free", "start"] = "free"
    reuse: bool = False
    step_overlap: float = Field(default=1.0, ge=0, le=1)
    new_words: int = Field(default=0, ge=0, le=200)
    once: int = Field(default=0, ge=0, le=2**20)
    again: tuple[int, ...] = Field(default=(), exclude_if=lambda v: not v)
    stop_bias: float = Field(default=0.0, ge=-1000, le=1000)
    events: Literal["steps", "given", "quality", "chain", "counted", "both"] = "steps"
    max_overlap: float = Field(default=0.3, ge=0, le=1)
    count_weight: float = Field(default=1.0, ge=0, le=1000)
    chain_share: float = Field(default=CHAIN_SHARE, ge=0, le=1000, exclude_if=lambda v: v == CHAIN_SHARE)
    refine: bool = True
    vote: bool = Field(default=False, exclude_if=lambda v: not v)


NO_CANDIDATES = "no candidate event was offered"


@torch.no_grad()
def write_stories(
    model: RecipeModel,
    inputs: Inputs,
    spans: Sequence[NDArray[np.float64]],
    words: Sequence[str],
    config: DecodingConfig,
    others: Sequence[RecipeModel] = (),
) -> list[Story]:
    """Write the recipes of a batch of videos.

    Args:
        model: in evaluation mode.
        inputs: real candidates and ingredients first, padding behind.
        spans: per video, (N, 2) seconds, in the order of `inputs`.
        words: the vocabulary, word by id.
        others: models that write along, see `voices`; the evidence of the steps is that of `model`.
    """
    models = (model, *others)
    with ExitStack() as kept:
        for each in models:
            kept.enter_context(products_kept(each))
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
    taken = inputs.take(videos)
    voices = [Voice(model, model.encode(taken)) for model in models]
    told: Tensor | None = None
    if config.events == "given":
        told = given_slots(taken.event_mask, config.max_steps)
    elif config.events != "steps":
        told, refined = tell_plan(voices, taken, [spans[i] for i in videos.tolist()], config)
        spans = list(spans)
        for place, video in enumerate(videos.tolist()):
            spans[video] = refined[place] if config.refine else spans[video]
    allowed = voices[0].encoded.events.slot_mask.clone()
    forward_only = "start" in (config.order, *(model.config.order for model in models))
    apart = events_apart(taken.times, config.step_overlap) if config.step_overlap < 1 and told is None else None
    said = [SaidBefore(config.new_words) for _ in spans] if config.new_words else None
    for number in range(config.max_steps):
        choice, probabilities = choose_slots(select_together(voices), allowed, config, first=number == 0)
        if told is not None:
            choice = told[:, number]
        going = (choice != 0).nonzero().squeeze(1)
        if not len(going):
            break
        if len(going) < len(choice):
            videos, allowed, choice = videos[going], allowed[going], choice[going]
            probabilities = probabilities[going]
            told = None if told is None else told[going]
            apart = None if apart is None else apart[going]
            for voice in voices:
                voice.take(going)
        speakers = [voice.open(choice) for voice in voices]
        before = None if said is None else [said[i] for i in videos.tolist()]
        written = write_sentences(
            speakers,
            config.max_words,
            config.beam,
            config.length_reward,
            said=before,
            once=config.once,
            again=config.again,
        )
        for voice, sentence in zip(voices, written.told, strict=True):
            voice.close(sentence, written.real)
        evidence = _Evidence(speakers[0], written, choice)
        for row, video in enumerate(videos.tolist()):
            if said is not None:
                said[video].add(written.words[row])
            span = spans[video]
            slot = int(choice[row])
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
        rows = torch.arange(len(choice), device=choice.device)
        if not config.reuse:
            allowed[rows, choice] = False
        if apart is not None:
            allowed[:, 1:] &= apart[rows, choice - 1]
        if forward_only:
            slots = torch.arange(allowed.shape[1], device=choice.device)
            allowed &= (slots == 0) | (slots > choice.unsqueeze(1))
    return [Story(tuple(found), "" if found else NO_CANDIDATES) for found in steps]


def events_apart(times: Tensor, most: float) -> Tensor:
    """(B, N, N) True where the temporal IoU of two events of (B, N, 2) `times` is at most `most`."""
    start, end = times.unsqueeze(2).unbind(dim=-1)
    other_start, other_end = times.unsqueeze(1).unbind(dim=-1)
    shared = (torch.minimum(end, other_end) - torch.maximum(start, other_start)).clamp(min=0)
    whole = (end - start) + (other_end - other_start) - shared
    return shared <= most * whole


def given_slots(event_mask: Tensor, max_steps: int) -> Tensor:
    """(B, max_steps) all slots of the (B, N) real candidates in order, then 0 (STOP)."""
    number = torch.arange(1, max_steps + 1, device=event_mask.device)
    return torch.where(number <= event_mask.sum(dim=1, keepdim=True), number, 0)


def tell_plan(
    voices: Sequence[Voice], inputs: Inputs, spans: Sequence[NDArray[np.float64]], config: DecodingConfig
) -> tuple[Tensor, list[NDArray[np.float64]]]:
    """The planned slots of each video, (B, max_steps) with 0 (STOP) behind the last, and its refined spans, seconds."""
    if any(voice.model.planner is None for voice in voices) or config.events == "steps" or config.events == "given":
        raise BadValueError(
            f"events = {config.events}", "the model has no planner", "train one with planner = true, or choose steps"
        )
    plan = plan_together(voices, inputs)
    stories = plan_stories(
        plan,
        config.events,
        longest=config.max_steps,
        max_overlap=config.max_overlap,
        count_weight=config.count_weight,
        chain_share=config.chain_share,
    )
    slots = torch.zeros(len(stories), config.max_steps, dtype=torch.long, device=inputs.times.device)
    for video, story in enumerate(stories):
        slots[video, : len(story)] = torch.tensor(story, device=slots.device) + 1
    # Shares of the video become seconds by the candidate's own length, which is known in both.
    length = (inputs.times[..., 1:] - inputs.times[..., :1]).clamp(min=SHORTEST_SHARE)
    times = voted_times(plan.times, plan.quality.sigmoid(), plan.mask) if config.vote else plan.times
    moves = ((times - inputs.times) / length).double().cpu().numpy()
    refined = [span + moves[b, : len(span)] * (span[:, 1:] - span[:, :1]) for b, span in enumerate(spans)]
    return slots, [np.maximum(span, 0.0) for span in refined]


def choose_slots(logits: Tensor, allowed: Tensor, config: DecodingConfig, *, first: bool) -> tuple[Tensor, Tensor]:
    """The best allowed slot of each video, (B,), and the probabilities of all slots, (B, N + 1).

    Args:
        logits: (B, N + 1); allowed: (B, N + 1) True for STOP and for candidates that may still be chosen.
        first: at the first step STOP keeps its probability but is not chosen.
    """
    logits = logits.masked_fill(~allowed, float("-inf"))
    logits[:, 0] += config.stop_bias
    probabilities = logits.softmax(dim=-1)
    if first:
        logits[:, 0] = float("-inf")
    return logits.argmax(dim=-1), probabilities


class _Evidence:
    """What the simulator and textual attention saw in this step, trimmed to each video's own ingredients."""

    def __init__(self, speaker: Speaker, written: Written, choice: Tensor) -> None:
        encoded, simulation = speaker.encoded, speaker.selection.simulation
        self.present = simulation is not None
        if simulation is None or encoded.raw_ingredients is None:
            return
        self.counts = encoded.ingredient_mask.sum(dim=1).tolist()
        self.change = (simulation.ingredient_states - encoded.raw_ingredients).norm(dim=-1)
        context = speaker.model.context(written.hidden, encoded, speaker.selection)
        if context is not None:
            # The strongest look of any word: a step uses what at least one of its words names.
            real = written.real.unsqueeze(-1)
            self.actions = context.actions.masked_fill(~real, 0.0).amax(dim=1)
            self.ingredients = context.ingredients.masked_fill(~real, 0.0).amax(dim=1)
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
