"""The command line, run in the test's own process."""

from typer.testing import CliRunner, Result

from cookscribe.cli import build_app


def invoke(*words: object, exit_code: int = 0) -> Result:
    """`cookscribe` with these words; an error of its own comes through as itself."""
    result = CliRunner().invoke(build_app(), [str(word) for word in words])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == exit_code, result.output
    return result


def run_command(*words: object, exit_code: int = 0) -> str:
    """What it prints."""
    return invoke(*words, exit_code=exit_code).output
