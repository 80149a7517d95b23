"""The command line as a whole: help, version, exit codes, and one line for an error."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from typer.main import get_command

import cookscribe.cli
from cookscribe import __version__
from cookscribe.cli import COMMANDS, build_app, main
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


def loaded_by(call: str) -> set[str]:
    """The modules that a new process has loaded after this call."""
    code = f"import sys\nfrom cookscribe.cli import build_app\n{call}\nprint(*sys.modules)"
    return set(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split())


def test_help_loads_nothing_heavy() -> None:
    assert not {"torch", "numpy", "av", "PIL", "scipy", "pydantic", "rich"} & loaded_by("build_app()")


def commands(app: typer.Typer) -> set[str]:
    return set(get_command(app).commands)  # type: ignore[attr-defined]


def test_every_module_has_the_commands_it_is_said_to() -> None:
    ours: set[str] = set()
    for functions in COMMANDS.values():
        names = {name.replace("_", "-") for name in functions}
        for name in names:
            assert commands(build_app(name)) == names
        ours |= names
    # The laboratory's join by entry points.
    assert commands(build_app()) == ours | {"kitchen", "study"} == commands(build_app("--help"))


def test_a_command_loads_no_other_and_not_the_laboratory() -> None:
    loaded = loaded_by("build_app('write')")
    assert {name for name in loaded if name.startswith(("cookscribe.cli.", "cookscribe_lab"))} == {
        "cookscribe.cli.write"
    }


def run_main_raising(error: BaseException, monkeypatch: pytest.MonkeyPatch) -> object:
    app = typer.Typer(pretty_exceptions_enable=False)

    @app.command()
    def fail() -> None:
        raise error

    monkeypatch.setattr(cookscribe.cli, "build_app", lambda _: app)
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
    error: BaseException, code: int, line: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_main_raising(error, monkeypatch) == code
    assert capsys.readouterr().err == line


def test_an_interrupt_says_how_to_go_on(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_main_raising(KeyboardInterrupt(), monkeypatch) == 130
    assert "run the same command to go on" in capsys.readouterr().err


def test_a_bug_keeps_its_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ZeroDivisionError):
        run_main_raising(ZeroDivisionError(), monkeypatch)


def test_a_terminal_that_knows_no_dashes_gets_question_marks(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "LC_ALL": "C"}
    command = [sys.executable, "-m", "cookscribe", "probe", str(tmp_path / "caf\u00e9 \u2013 soup.mp4")]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120, check=False)
    assert done.returncode == 2
    assert "caf? ? soup.mp4: no such file" in done.stderr
