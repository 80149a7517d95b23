"""A training pass of the recipe model over true recipes. Whoever only writes recipes never loads this."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import torch
from torch import Tensor

from cookscribe.model.attention import WordContext
from cookscribe.model.batch import Inputs, Targets, first, take
from cookscribe.model.beyond.copying import CopyAttention
from cookscribe.model.beyond.fast import fused_weights
from cookscribe.model.beyond.plan_losses import PlanLosses
from cookscribe.model.config import EOS, PAD, UNK
from cookscribe.model.generator import WordOutput
from cookscribe.model.heads import Heads
from cookscribe.model.losses import Outputs
from cookscribe.model.recipe_model import AtStep, Encoded, RecipeModel, Selection, State, joined_context
from cookscribe.model.simulator import Simulation


def training_pass(model: RecipeModel, inputs: Inputs, targets: Targets, at_step: AtStep | None = None) -> Outputs:
    """What the losses need, see `RecipeModel.forward`."""
    # The candidates are read at every step: their rows are many enough for one matrix instead of two.
    with fused_weights(model.selector), _cut_once(model):
        return _pass(model, inputs, targets, at_step)


def _pass(model: RecipeModel, inputs: Inputs, targets: Targets, at_step: AtStep | None) -> Outputs:
    order = targets.steps.argsort(descending=True, stable=True)
    inputs, targets = take(inputs, order), take(targets, order)
    steps = targets.steps.tolist()
    encoded, state = model.encode(inputs), State()
    planned = None
    if model.planner is not None:
        planned = PlanLosses(model.plan(inputs, encoded), inputs.times, targets, model.config.most_steps)
    collected = _Collected(model.config.vocabulary_size)
    last = torch.zeros(len(inputs), dtype=torch.long, device=inputs.times.device)
    for t in range(max(steps) + 1):
        active = sum(count >= t for count in steps)
        writing = sum(count > t for count in steps)
        encoded, state = first((encoded, state), active)
        allowed = model.allowed(encoded.events.slot_mask, last[:active])
        selection = model.select(encoded, state).restricted(allowed)
        labels = torch.zeros(active, dtype=torch.long, device=inputs.times.device)
        if writing:
            labels[:writing] = last[:writing] = targets.events[:writing, t]
        collected.events(selection, labels, allowed)
        if not writing:
            break
        encoded, state, selection = first((encoded, state, selection), writing)
        event = model.choose(selection, labels[:writing])
        state = _write_step(model, encoded, state, selection, event, targets, t, collected, at_step)
    outputs = collected.outputs(model.output, len(inputs))
    return outputs if planned is None else replace(outputs, plan=planned)


@contextmanager
def _cut_once(model: RecipeModel) -> Iterator[None]:
    """Inside, every `Heads` cuts its matrices once for all steps; gradients reach them.

    Every cut is a matrix of zeros to fill and to add in the backward pass. Under autocast they are also cast once: it
    keeps the casts of parameters, but not those of what is made of them.
    """
    device = next(model.parameters()).device.type
    wanted = torch.get_autocast_dtype(device) if torch.is_autocast_enabled(device) else None
    heads = [module for module in model.modules() if isinstance(module, Heads)]
    for head in heads:
        head.held = tuple(part.to(wanted or part.dtype) for part in head.cut())
    try:
        yield
    finally:
        for head in heads:
            head.held = None


def _write_step(
    model: RecipeModel,
    encoded: Encoded,
    state: State,
    selection: Selection,
    event: Tensor,
    targets: Targets,
    t: int,
    collected: _Collected,
    at_step: AtStep | None,
) -> State:
    """The sentences of step t, teacher-forced.

    Collects what the losses need and returns the state after the step.
    """
    rows = len(event)
    words = targets.words[:rows, t]
    longest = int((words != PAD).sum(dim=1).max())
    given, following = words[:, : longest - 1], words[:, 1:longest]
    # Position k counts when it predicts something; the last one predicts EOS, which at most the memory reads.
    real = (given != PAD) & (given != EOS)
    opened = model.open_sentence(encoded, state, event, targets.events[:rows, t])
    if at_step is not None:
        at_step(opened, words[:, :longest])
    told = words[:, :longest] if model.config.text_memory == "eos" else given
    hidden, sentence = model.generator.extend(opened, model.embedding_ids(told))
    hidden = hidden[:, : longest - 1]
    context, copied = model.context(hidden, encoded, selection), model.copy_attention(hidden, sentence)
    collected.words(joined_context(hidden, context, copied), following, real, copied)
    if selection.simulation is not None:
        collected.selections(selection.simulation, targets, t, rows)
    if context is not None:
        collected.attentions(context, targets, t, rows, longest - 1)
    return model.close_sentence(selection, sentence.finished(), real if told is given else told != PAD)


class _Collected:
    """Gathers the pieces of a pass, so that the vocabulary projection and the losses run once, over real words only."""

    def __init__(self, vocabulary: int) -> None:
        self.vocabulary = vocabulary
        self.copied: list[Tensor] = []
        self.event_logits: list[Tensor] = []
        self.event_labels: list[Tensor] = []
        self.slot_masks: list[Tensor] = []
        self.word_rows: list[Tensor] = []
        self.word_labels: list[Tensor] = []
        self.probabilities: dict[str, list[Tensor]] = {
            "ingredient_selection": [],
            "action_selection": [],
            "ingredient_attention": [],
            "action_attention": [],
        }

    def events(self, selection: Selection, labels: Tensor, slot_mask: Tensor) -> None:
        self.event_logits.append(selection.logits)
        self.event_labels.append(labels)
        self.slot_masks.append(slot_mask)

    def words(self, hidden: Tensor, labels: Tensor, real: Tensor, copied: CopyAttention | None) -> None:
        self.word_rows.append(hidden[real])
        if copied is not None:
            mass = copied.mass(labels)
            # What is neither in the vocabulary nor among the words to copy cannot be said.
            possible = (copied.words.unsqueeze(1) == labels.unsqueeze(2)).any(dim=-1)
            labels = torch.where((labels >= self.vocabulary) & ~possible, UNK, labels)
            self.copied.append(torch.stack((copied.gate, mass), dim=-1)[real])
        self.word_labels.append(labels[real])

    def selections(self, simulation: Simulation, targets: Targets, t: int, rows: int) -> None:
        # Simulator columns are candidates, labels are slots with STOP in front.
        column = targets.events[:rows, t] - 1
        index = torch.arange(rows, device=column.device)
        self.probabilities["ingredient_selection"].append(
            simulation.ingredient_events[index, :, column][targets.ingredient_used[:rows, t]]
        )
        self.probabilities["action_selection"].append(
            simulation.action_events[index, :, column][targets.action_used[:rows, t]]
        )

    def attentions(self, context: WordContext, targets: Targets, t: int, rows: int, length: int) -> None:
        self.probabilities["ingredient_attention"].append(
            context.ingredients[targets.word_ingredient[:rows, t, :length]]
        )
        action = targets.word_action[:rows, t, :length]
        chosen = context.actions.gather(2, action.clamp(min=0).unsqueeze(-1)).squeeze(-1)
        self.probabilities["action_attention"].append(chosen[action >= 0])

    def outputs(self, output: WordOutput, videos: int) -> Outputs:
        logits = torch.cat(self.event_logits)
        empty = logits.new_zeros(0)
        return Outputs(
            event_logits=logits,
            event_labels=torch.cat(self.event_labels),
            slot_mask=torch.cat(self.slot_masks),
            word_logits=output(torch.cat(self.word_rows)),
            word_labels=torch.cat(self.word_labels),
            videos=videos,
            plan=None,
            copied=torch.cat(self.copied) if self.copied else None,
            **{name: torch.cat(values) if values else empty for name, values in self.probabilities.items()},
        )
