"""The command line: thin. Each module here parses, calls a room and prints; heavy imports wait inside the commands."""

import os
import sys
from contextlib import suppress
from importlib import import_module
from importlib.metadata import entry_points
from io import TextIOWrapper
from typing import TextIO

import typer

from cookscribe import __version__

# Modules, and what each has: functions that are commands, and groups of them. Keep their imports light: `--help` loads
# them all.
COMMANDS: dict[str, tuple[str, ...]] = {
    "train": ("train", "bundle"),
    "proposals": ("propose", "event_features"),
    "predict": ("predict",),
    "write": ("write",),
    "export": ("export",),
    "serve": ("serve", "library"),
    "data": ("data",),
    "video": ("probe", "encode", "encode_transcripts", "weights"),
    "evaluate": ("evaluate", "baselines"),
}


def _print_version(asked: bool) -> None:
    if asked:
        print(f"cookscribe {__version__}")
        raise typer.Exit


def build_app(command: str = "") -> typer.Typer:
    """The application with every command; if `command` is one of ours, with those of its module only."""
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

    asked = [name for name, commands in COMMANDS.items() if command.replace("-", "_") in commands]
    for module in asked or COMMANDS:
        for name in COMMANDS[module]:
            found = getattr(import_module(f"cookscribe.cli.{module}"), name)
            if isinstance(found, typer.Typer):
                app.add_typer(found, name=name)
            else:
                app.command()(found)
    if not asked:
        for entry in entry_points(group="cookscribe.commands"):
            entry.load()(app)
    return app


def main() -> None:
    """Entry point: typed errors become one line on standard error and their exit code.

    Whoever closes the pipe behind us has read enough: that is no error to be told. A full disk behind it is one.
    """
    from cookscribe.errors import CookscribeError
    from cookscribe.files import FULL, unwritable

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # A terminal that knows no "–" or "é" shows a question mark instead of a traceback.
            stream.reconfigure(errors="replace")
    try:
        try:
            build_app(sys.argv[1] if len(sys.argv) > 1 else "")()
        finally:
            # What is still held back must arrive now: Python's own attempt at exit would fail with a traceback.
            if sys.stdout is not None:
                sys.stdout.flush()
    except CookscribeError as error:
        _complain(" ".join(str(error).split()))
        sys.exit(error.exit_code)
    except BrokenPipeError:
        _forget(sys.stdout)
        _forget(sys.stderr)
        sys.exit(1)
    except OSError as error:
        # Whoever writes files gives typed errors, so it is what we print that finds no place.
        if error.errno not in FULL or error.filename is not None:
            raise
        lost = unwritable("standard output", error)
        _forget(sys.stdout)
        _complain(str(lost))
        sys.exit(lost.exit_code)
    except SystemExit as end:
        if end.code == 130:  # typer's way of reporting an interrupt
            _complain("interrupted; finished parts are kept, run the same command to go on")
        raise


def _complain(line: str) -> None:
    try:
        if sys.stderr is not None:
            print("cookscribe:", line, file=sys.stderr, flush=True)
    except OSError:
        # Where even this cannot be said, the exit code must do.
        _forget(sys.stderr)


def _forget(stream: TextIO | None) -> None:
    """Lead a stream nowhere, so that at exit nothing more is tried with what it could not write."""
    if stream is None:
        return
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
