"""The simulated queue keeps the laws that every queue keeps."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scale_queue import Costs, simulate

NOTHING_FAILS = Costs(film=60.0, spread=0.0, entry=0.0, start=0.0, refused=0.0, hangs=0.0, kills=0.0, deaths=0.0)


def test_without_failures_the_time_is_that_of_a_division() -> None:
    calm = Costs(**vars(NOTHING_FAILS) | {"leader_deaths": 0.0})
    found = simulate(1000, 8, calm)
    assert found.seconds == pytest.approx(1000 / 8 * 60)
    assert found.efficiency == pytest.approx(1.0)
    assert (found.done, found.refused, found.aside, found.lost, found.repeated) == (1000, 0, 0, 0, 0)


def test_a_slow_leader_is_the_bottleneck() -> None:
    """100 workers could end 100 films a second, the leader enters 10."""
    busy = Costs(**vars(NOTHING_FAILS) | {"film": 1.0, "entry": 0.1, "leader_deaths": 0.0})
    found = simulate(5000, 100, busy)
    assert found.seconds == pytest.approx(500, rel=0.05)
    assert found.leader > 0.95


@settings(max_examples=60, deadline=None)
@given(
    films=st.integers(1, 400),
    workers=st.integers(1, 30),
    refused=st.floats(0, 0.3),
    hangs=st.floats(0, 0.2),
    kills=st.floats(0, 0.2),
    mean_life=st.floats(200, 1e6),
    leader_life=st.floats(500, 1e6),
    seed=st.integers(0, 99),
)
def test_every_film_ends_in_one_state(
    films: int,
    workers: int,
    refused: float,
    hangs: float,
    kills: float,
    mean_life: float,
    leader_life: float,
    seed: int,
) -> None:
    costs = Costs(
        film=10.0,
        timeout=200.0,
        refused=refused,
        hangs=hangs,
        kills=kills,
        deaths=1 / mean_life,
        leader_deaths=1 / leader_life,
    )
    found = simulate(films, workers, costs, seed)
    assert found.lost == 0
    assert found.done + found.refused + found.aside == films
    assert 0 <= found.efficiency <= 1
    if hangs == kills == 0 and found.repeated == 0:
        assert found.aside == 0
