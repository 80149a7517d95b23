"""The typed errors of cookscribe: each names what it is about, the cause and the next step.

The command line prints them in one line and exits with their code: 2 for an input or a usage that cannot work, 1 for
work that failed for another reason. Anything else that escapes is a bug and keeps its traceback.
"""

from __future__ import annotations

from pathlib import Path

from cookscribe.text.printable import printable


class CookscribeError(Exception):
    """Work that could not be done. Its message is safe to show, whatever stands in the file or its name.

    Args:
        subject: the file, option or video the error is about.
        cause: what is wrong, in plain words.
        advice: what the reader can do next.
    """

    exit_code = 1

    def __init__(self, subject: str | Path, cause: str, advice: str = "") -> None:
        self.subject = printable(str(subject))
        self.cause = printable(cause)
        self.advice = printable(advice)
        super().__init__(f"{self.subject}: {self.cause}" + (f" ({self.advice})" if self.advice else ""))

    def __reduce__(self) -> tuple[type[CookscribeError], tuple[str, str, str]]:
        # Exceptions cross process pools by pickle, which would otherwise call __init__ with the joined message.
        return type(self), (self.subject, self.cause, self.advice)


class InputError(CookscribeError):
    """The user's file, option or value is wrong: exit code 2."""

    exit_code = 2


class MissingFileError(InputError):
    """A file or folder that was asked for is not there."""


class BadFileError(InputError):
    """A file is there but cannot be read as what it should be."""


class UnwritableError(BadFileError):
    """A place cannot be written to, or is full: no film's fault, and the next one would find the same."""


class BadValueError(InputError):
    """A value is outside what it may be (times reversed, an unknown name, a wrong size)."""


class MissingDependencyError(CookscribeError):
    """An optional package, runtime or weight file is not installed."""


class NoModelFitsError(InputError):
    """No installed bundle can read this film."""
