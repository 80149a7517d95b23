"""The laboratory's commands; they join `cookscribe` by entry points."""

from importlib import import_module

import typer

# Each has a group of commands (the second name), or adds to the group of another.
COMMAND_MODULES = {
    "kitchen": "kitchen",
    "kitchen_videos": "",
    "kitchen_bundle": "",
    "kitchen_demo": "",
    "study": "study",
}


def register(app: typer.Typer) -> None:
    """Add the commands. Keep the modules' imports light: `cookscribe --help` loads them all."""
    for name, group in COMMAND_MODULES.items():
        module = import_module(f"cookscribe_lab.cli.{name}")
        if group:
            app.add_typer(getattr(module, group), name=group)
