"""Plans of many videos, written to and read from a file."""

from __future__ import annotations

from pathlib import Path

from safetensors.torch import load_file, save

from cookscribe.files import write_bytes
from cookscribe.model.beyond.planner import Plan
from cookscribe.model.beyond.plans import plan_of, plan_parts


def write_plan(path: Path, plan: Plan) -> None:
    """Keep a plan in one file."""
    write_bytes(path, save({name: value.contiguous() for name, value in plan_parts(plan).items()}))


def read_plan(path: Path) -> Plan:
    """Read a plan that `write_plan` wrote."""
    return plan_of(load_file(path))
