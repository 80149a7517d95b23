"""Plans of many videos as plain tensors: joined, averaged, turned round, written to and read from a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import load_file, save_file
from torch import Tensor
from torch.nn import functional as F

from cookscribe.files import replacing
from cookscribe.model.chains import Potentials
from cookscribe.model.planner import Plan

_PARTS = ("times", "quality", "count", "node", "first", "last", "edge", "mask")


def _parts(plan: Plan) -> dict[str, Tensor]:
    potentials = plan.potentials
    values = (plan.times, plan.quality, plan.count, *vars(potentials).values(), plan.mask)
    return dict(zip(_PARTS, values, strict=True))


def _plan(parts: dict[str, Tensor]) -> Plan:
    potentials = Potentials(parts["node"], parts["first"], parts["last"], parts["edge"])
    return Plan(parts["times"], parts["quality"], parts["count"], potentials, parts["mask"])


def joined(plans: Sequence[Plan]) -> Plan:
    """The videos of several plans one after another, padded to the largest number of candidates."""
    largest = max(plan.mask.shape[1] for plan in plans)
    parts: dict[str, list[Tensor]] = {name: [] for name in _PARTS}
    for plan in plans:
        missing = largest - plan.mask.shape[1]
        for name, value in _parts(plan).items():
            fill = float("-inf") if name == "node" else 0
            if name == "times":
                value = F.pad(value, (0, 0, 0, missing))
            elif name == "edge":
                value = F.pad(value, (0, missing, 0, missing))
            elif name != "count":
                value = F.pad(value, (0, missing), value=fill)
            parts[name].append(value)
    return _plan({name: torch.cat(values) for name, values in parts.items()})


def mean_plan(plans: Sequence[Plan]) -> Plan:
    """What several models think of the same videos on average: borders, qualities, counts and potentials.

    Qualities and counts are averaged as probabilities.
    """
    parts = [_parts(plan) for plan in plans]
    mean = {name: torch.stack([part[name] for part in parts]).mean(dim=0) for name in _PARTS if name != "mask"}
    mean["quality"] = torch.logit(torch.stack([part["quality"].sigmoid() for part in parts]).mean(dim=0), eps=1e-6)
    mean["count"] = torch.stack([part["count"].softmax(dim=1) for part in parts]).mean(dim=0).log()
    return _plan({**mean, "mask": parts[0]["mask"]})


def turned_back(plan: Plan, orders: Sequence[NDArray[np.int64]]) -> Plan:
    """The plan of videos that were looked at backwards, as a plan of the videos themselves.

    Args:
        plan: of the mirrored videos.
        orders: per video, the place of each of its candidates among the mirrored ones.
    """
    size, count = plan.mask.shape
    index = torch.arange(count).repeat(size, 1)
    for b, order in enumerate(orders):
        index[b, : len(order)] = torch.from_numpy(order)
    rows = torch.arange(size).unsqueeze(1)
    old = plan.potentials
    # Backwards, the first step is the last one, and what follows comes before.
    potentials = Potentials(
        old.node[rows, index],
        old.last[rows, index],
        old.first[rows, index],
        old.edge.transpose(1, 2)[rows.unsqueeze(2), index.unsqueeze(2), index.unsqueeze(1)],
    )
    times = (1 - plan.times[rows, index]).flip(-1)
    return Plan(times, plan.quality[rows, index], plan.count, potentials, plan.mask[rows, index])


def write_plan(path: Path, plan: Plan) -> None:
    """Keep a plan in one file."""
    with replacing(path) as temporary:
        save_file({name: value.contiguous() for name, value in _parts(plan).items()}, temporary)


def read_plan(path: Path) -> Plan:
    """Read a plan that `write_plan` wrote."""
    return _plan(load_file(path))
