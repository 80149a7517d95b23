"""Errors: what they say, their exit codes, and the way through a process pool."""

import pickle
from pathlib import Path

import pytest

from cookscribe import errors

KINDS = [
    kind
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, errors.CookscribeError)
]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_every_error_names_subject_cause_and_advice(kind: type[errors.CookscribeError]) -> None:
    error = kind(Path("film.mp4"), "is broken", "try another")
    assert str(error) == "film.mp4: is broken (try another)"
    assert str(kind("film.mp4", "is broken")) == "film.mp4: is broken"
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is kind
    assert (again.subject, again.cause, again.advice, str(again)) == (
        "film.mp4",
        "is broken",
        "try another",
        str(error),
    )


def test_exit_codes() -> None:
    inputs = {errors.InputError, errors.MissingFileError, errors.BadFileError, errors.BadValueError}
    assert inputs <= {kind for kind in KINDS if kind.exit_code == 2}
    assert all(kind.exit_code in (1, 2) for kind in KINDS)
    assert errors.CookscribeError.exit_code == errors.MissingDependencyError.exit_code == 1
