"""Ensembles: several models write one story; each keeps its own memories, and their mean decides.

All members follow the same choices and the same words, whichever of them would have preferred others. Events and words
are averaged as probabilities, plans as `plans.mean_plan` does. One member alone is the model itself, to the last bit.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from cookscribe.errors import BadValueError
from cookscribe.model.batch import Inputs
from cookscribe.model.beyond.chains import Potentials
from cookscribe.model.beyond.planner import Plan
from cookscribe.model.generator import FinishedSentence, OpenSentence
from cookscribe.model.recipe_model import Encoded, RecipeModel, Selection, State


@dataclass(frozen=True)
class SentenceContext:
    """What a member knows when it begins the sentences of one step of B videos."""

    model: RecipeModel
    encoded: Encoded
    selection: Selection
    sentence: OpenSentence


@dataclass
class Member:
    """One model on its way through the steps of B videos."""

    model: RecipeModel
    encoded: Encoded
    state: State = field(default_factory=State)
    selection: Selection | None = None

    def select(self) -> Tensor:
        """Look at the candidates of the next step: (B, N + 1) logits."""
        self.selection = self.model.select(self.encoded, self.state)
        return self.selection.logits

    def open(self, slots: Tensor) -> SentenceContext:
        """Begin the sentences of the chosen slots, (B,)."""
        assert self.selection is not None
        rows = torch.arange(len(slots), device=slots.device)
        event = self.selection.hidden[rows, slots]
        sentence = self.model.open_sentence(self.encoded, self.state, event, slots)
        return SentenceContext(self.model, self.encoded, self.selection, sentence)

    def close(self, sentence: FinishedSentence, real: Tensor) -> None:
        """End the step with the sentences that were written; `real`, (B, length), is True for their words."""
        assert self.selection is not None
        self.state = self.model.close_sentence(self.selection, sentence, real)


def mean_log_probabilities(scores: Sequence[Tensor]) -> Tensor:
    """Of log-probabilities of the same shape, those of the mean probability."""
    return scores[0] if len(scores) == 1 else torch.stack(list(scores)).logsumexp(dim=0) - math.log(len(scores))


def select_together(members: Sequence[Member]) -> Tensor:
    """What the members think of the candidates of the next step, (B, N + 1) logits."""
    logits = [member.select() for member in members]
    return logits[0] if len(logits) == 1 else mean_log_probabilities([each.log_softmax(dim=-1) for each in logits])


def plan_together(members: Sequence[Member], inputs: Inputs) -> Plan:
    """The members' plan before the first step; all need a planner."""
    if any(member.model.planner is None for member in members):
        raise BadValueError(
            "selection", "the model has no planner", "train one with planner = true, or choose stepwise"
        )
    plans = [member.model.plan(inputs, member.encoded) for member in members]
    return plans[0] if len(plans) == 1 else mean_plan(plans)


def plan_parts(plan: Plan) -> dict[str, Tensor]:
    """The tensors of a plan by name."""
    parts = {"times": plan.times, "quality": plan.quality, "count": plan.count, "mask": plan.mask}
    parts |= vars(plan.potentials)
    return parts if plan.redundancy is None else {**parts, "redundancy": plan.redundancy}


def plan_of(parts: dict[str, Tensor]) -> Plan:
    """The plan of the tensors of `plan_parts`."""
    potentials = Potentials(parts["node"], parts["first"], parts["last"], parts["edge"])
    return Plan(parts["times"], parts["quality"], parts["count"], potentials, parts["mask"], parts.get("redundancy"))


def mean_plan(plans: Sequence[Plan]) -> Plan:
    """What several models think of the same videos on average: borders, qualities, counts and potentials.

    Qualities, redundancies and counts are averaged as probabilities.
    """
    parts = [plan_parts(plan) for plan in plans]

    def together(name: str) -> Tensor:
        return torch.stack([part[name] for part in parts])

    mean = {name: together(name).mean(dim=0) for name in parts[0] if name != "mask"}
    for name in {"quality", "redundancy"} & set(mean):
        mean[name] = torch.logit(together(name).sigmoid().mean(dim=0), eps=1e-6)
    mean["count"] = together("count").softmax(dim=2).mean(dim=0).log()
    return plan_of({**mean, "mask": parts[0]["mask"]})
