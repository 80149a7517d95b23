"""The command line: thin. Each module here parses, calls a room and prints; heavy imports wait inside the commands."""

from __future__ import annotations

import sys
from importlib import import_module

import typer

from cookscribe import __version__

# One module per group of commands; each has `register(app)`. Keep their imports light: `--help` loads them all.
COMMAND_MODULES: tuple[str, ...] = (
    "train",
    "proposals",
    "predict",
    "write",
    "export",
    "kitchen",
    "kitchen_videos",
    "kitchen_bundle",
    "kitchen_demo",
    "data",
    "video",
    "evaluate",
    "study",
)


def _print_version(asked: bool) -> None:
    if asked:
        print(f"cookscribe {__version__}")
        raise typer.Exit


def build_app() -> typer.Typer:
    """The application with every command."""
    # Plain help: rich's help alone would take twice the time everything else takes to start.
    app = typer.Typer(
        name="cookscribe",
        help="Watch a cooking video and write the recipe.",
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )

    @app.callback()
    def root(
        version: bool = typer.Option(
            False, "--version", help="Print the version.", callback=_print_version, is_eager=True
        ),
    ) -> None:
        del version

    for name in COMMAND_MODULES:
        import_module(f"cookscribe.cli.{name}").register(app)
    return app


def main() -> None:
    """Entry point: typed errors become one line on standard error and their exit code."""
    from cookscribe.errors import CookscribeError

    try:
        build_app()()
    except CookscribeError as error:
        print("cookscribe:", " ".join(str(error).split()), file=sys.stderr)
        sys.exit(error.exit_code)
    except SystemExit as end:
        if end.code == 130:  # typer's way of reporting an interrupt
            print("cookscribe: interrupted; finished parts are kept, run the same command to go on", file=sys.stderr)
        raise
