"""The command line as a whole: help, version, exit codes, and one line for an error."""

from __future__ import annotations

import subprocess
import sys

import pytest
import typer

import cookscribe.cli
from cookscribe import __version__
from cookscribe.cli import COMMAND_MODULES, build_app, main
from cookscribe.errors import BadFileError, MissingDependencyError


def cookscribe_command(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "cookscribe", *arguments], capture_output=True, text=True, check=False)


def test_help_and_version() -> None:
    result = cookscribe_command("--help")
    assert result.returncode == 0
    assert "Watch a cooking video" in result.stdout
    result = cookscribe_command("--version")
    assert (result.returncode, result.stdout) == (0, f"cookscribe {__version__}\n")


def test_wrong_usage_is_exit_code_2() -> None:
    result = cookscribe_command("no-such-command")
    assert result.returncode == 2
    assert "no-such-command" in result.stderr
    assert "Traceback" not in result.stderr


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys\nfrom cookscribe.cli import build_app\nbuild_app()\n"
        "print(sorted({'torch', 'numpy', 'av', 'PIL', 'scipy', 'pydantic', 'rich'} & set(sys.modules)))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout == "[]\n"


def test_every_module_registers_something() -> None:
    assert len(set(COMMAND_MODULES)) == len(COMMAND_MODULES)
    app = build_app()
    assert len(app.registered_commands) + len(app.registered_groups) >= len(COMMAND_MODULES)


def run_main_raising(error: BaseException, monkeypatch: pytest.MonkeyPatch) -> object:
    app = typer.Typer(pretty_exceptions_enable=False)

    @app.command()
    def fail() -> None:
        raise error

    monkeypatch.setattr(cookscribe.cli, "build_app", lambda: app)
    monkeypatch.setattr(sys, "argv", ["cookscribe"])
    with pytest.raises(SystemExit) as caught:
        main()
    return caught.value.code


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (BadFileError("a.json", "is\nbroken", "mend it"), 2, "cookscribe: a.json: is broken (mend it)\n"),
        (MissingDependencyError("java", "is not installed"), 1, "cookscribe: java: is not installed\n"),
    ],
)
def test_a_typed_error_is_one_line_and_its_exit_code(
    error: BaseException,
    code: int,
    line: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run_main_raising(error, monkeypatch) == code
    assert capsys.readouterr().err == line


def test_an_interrupt_says_how_to_go_on(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_main_raising(KeyboardInterrupt(), monkeypatch) == 130
    assert "run the same command to go on" in capsys.readouterr().err


def test_a_bug_keeps_its_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ZeroDivisionError):
        run_main_raising(ZeroDivisionError(), monkeypatch)
