"""A crash, a hang or a bug costs one item and not the run."""

import multiprocessing

import pytest

from cookscribe.batch.engine import Crew, run
from cookscribe.errors import BadFileError, CookscribeError, MissingDependencyError
from tests.batch import pool_work


def test_every_fate_is_told_and_the_run_goes_on() -> None:
    items = ["fine-1", "refuse", "bug", "crash", "hang", "fine-2", "exit", "slow", "fine-3"]
    outcomes = {o.item: o for o in run(pool_work.setup, items, Crew(workers=2, patience=2.0))}
    assert {item: outcome.kind for item, outcome in outcomes.items()} == {
        "fine-1": "done",
        "fine-2": "done",
        "fine-3": "done",
        "refuse": "refused",
        "bug": "bug",
        "crash": "crashed",
        "exit": "crashed",
        "hang": "stuck",
        "slow": "done",  # three seconds in all, but it gives signs of life
    }
    assert isinstance(outcomes["refuse"].error, BadFileError)
    assert outcomes["refuse"].error.cause == "is not a film"
    assert "SIGSEGV" in str(outcomes["crash"].error)
    assert "ZeroDivisionError: a mistake of ours" in str(outcomes["bug"].error)
    assert "no progress for 2 s" in str(outcomes["hang"].error)
    assert not multiprocessing.active_children()


def test_a_worker_is_used_again() -> None:
    outcomes = list(run(pool_work.setup, ["a", "b", "c"], Crew(workers=1)))
    assert len({outcome.result for outcome in outcomes}) == 1
    assert [outcome.item for outcome in outcomes] == ["a", "b", "c"]
    assert list(run(pool_work.setup, [], Crew(workers=2))) == []


def test_a_setup_that_fails_stops_the_run() -> None:
    with pytest.raises(MissingDependencyError, match="not found"):
        list(run(pool_work.broken_setup, ["a", "b"], Crew(workers=2)))
    with pytest.raises(CookscribeError, match="could not be set up"):
        list(run(pool_work.dying_setup, ["a"], Crew(workers=1)))
    assert not multiprocessing.active_children()


def test_leaving_early_stops_the_workers() -> None:
    outcomes = run(pool_work.setup, ["fine", "hang", "hang"], Crew(workers=2))
    assert next(outcomes).item == "fine"
    outcomes.close()  # type: ignore[attr-defined]
    assert not multiprocessing.active_children()
