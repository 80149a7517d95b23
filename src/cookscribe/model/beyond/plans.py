"""Plans of many videos as plain tensors: joined and averaged."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn import functional as F

from cookscribe.model.beyond.chains import Potentials
from cookscribe.model.beyond.planner import Plan

_PAIRS = ("edge", "redundancy")


def plan_parts(plan: Plan) -> dict[str, Tensor]:
    """The tensors of a plan by name."""
    parts = {"times": plan.times, "quality": plan.quality, "count": plan.count, "mask": plan.mask}
    parts |= vars(plan.potentials)
    return parts if plan.redundancy is None else {**parts, "redundancy": plan.redundancy}


def plan_of(parts: dict[str, Tensor]) -> Plan:
    """The plan of the tensors of `plan_parts`."""
    potentials = Potentials(parts["node"], parts["first"], parts["last"], parts["edge"])
    return Plan(parts["times"], parts["quality"], parts["count"], potentials, parts["mask"], parts.get("redundancy"))


def joined(plans: Sequence[Plan]) -> Plan:
    """The videos of several plans one after another, padded to the largest number of candidates."""
    largest = max(plan.mask.shape[1] for plan in plans)
    parts: dict[str, list[Tensor]] = {}
    for plan in plans:
        missing = largest - plan.mask.shape[1]
        for name, value in plan_parts(plan).items():
            fill = float("-inf") if name == "node" else 0
            if name == "times":
                value = F.pad(value, (0, 0, 0, missing))
            elif name in _PAIRS:
                value = F.pad(value, (0, missing, 0, missing))
            elif name != "count":
                value = F.pad(value, (0, missing), value=fill)
            parts.setdefault(name, []).append(value)
    return plan_of({name: torch.cat(values) for name, values in parts.items()})


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
