"""The laboratory's commands; they join `cookscribe` by entry points."""

from __future__ import annotations

from importlib import import_module

import typer

COMMAND_MODULES = ("kitchen", "kitchen_videos", "kitchen_bundle", "kitchen_demo", "study")


def register(app: typer.Typer) -> None:
    """Add the commands. Keep the modules' imports light: `cookscribe --help` loads them all."""
    for name in COMMAND_MODULES:
        import_module(f"cookscribe_lab.cli.{name}").register(app)
