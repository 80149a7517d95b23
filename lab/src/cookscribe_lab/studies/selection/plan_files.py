"""Plans of many videos: joined, written to and read from a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch
from safetensors.torch import load_file, save
from torch import Tensor
from torch.nn import functional as F

from cookscribe.files import write_bytes
from cookscribe.model.beyond.ensemble import plan_of, plan_parts
from cookscribe.model.beyond.planner import Plan

_PAIRS = ("edge", "redundancy")


def write_plan(path: Path, plan: Plan) -> None:
    """Keep a plan in one file."""
    write_bytes(path, save({name: value.contiguous() for name, value in plan_parts(plan).items()}))


def read_plan(path: Path) -> Plan:
    """Read a plan that `write_plan` wrote."""
    return plan_of(load_file(path))


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
