"""Progress: every item comes through, and standard output stays clean."""

import io
import sys
from collections.abc import Iterator

import pytest

from cookscribe import progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_items_come_through_in_order(capsys: pytest.CaptureFixture[str]) -> None:
    assert list(progress.track(range(5), "counting")) == [0, 1, 2, 3, 4]
    assert list(progress.track(iter("abc"), "letters")) == ["a", "b", "c"]
    assert list(progress.track([], "nothing")) == []
    captured = capsys.readouterr()
    assert captured.out == captured.err == ""


def test_a_log_gets_a_line_now_and_then(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    clock = iter(range(0, 10_000, 20))
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(clock))
    list(progress.track(range(6), "cooking", total=6))
    captured = capsys.readouterr()
    assert captured.out == ""
    lines = captured.err.splitlines()
    assert 0 < len(lines) < 6
    assert lines[0].startswith("cooking: ")
    assert lines[0].endswith(" of 6")


def test_a_terminal_gets_a_bar(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    assert list(progress.track(range(3), "frying")) == [0, 1, 2]
    assert "frying" in terminal.getvalue()
    assert capsys.readouterr().out == ""


def test_an_error_in_the_items_is_not_swallowed() -> None:
    def items() -> Iterator[int]:
        yield 1
        raise RuntimeError("burnt")

    with pytest.raises(RuntimeError, match="burnt"):
        list(progress.track(items(), "baking"))
