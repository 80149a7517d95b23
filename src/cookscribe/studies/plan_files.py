"""Plans of many videos, written to and read from a file."""

from __future__ import annotations

from pathlib import Path

from safetensors.torch import load_file, save_file

from cookscribe.files import replacing
from cookscribe.model.planner import Plan
from cookscribe.model.plans import plan_of, plan_parts


def write_plan(path: Path, plan: Plan) -> None:
    """Keep a plan in one file."""
    with replacing(path) as temporary:
        save_file({name: value.contiguous() for name, value in plan_parts(plan).items()}, temporary)


def read_plan(path: Path) -> Plan:
    """Read a plan that `write_plan` wrote."""
    return plan_of(load_file(path))
