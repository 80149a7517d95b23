"""`cookscribe kitchen`: the simulated kitchen. Everything these commands write says that it is simulated."""

from __future__ import annotations

import typer

kitchen = typer.Typer(
    name="kitchen",
    help="The simulated kitchen: made-up recipes, drawn videos and feature streams with full truth.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


def register(app: typer.Typer) -> None:
    """Add the group to the application."""
    app.add_typer(kitchen, name="kitchen")
