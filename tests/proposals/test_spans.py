"""Sets of spans: probabilities, samples and choices against the list of all sets."""

import math
from itertools import combinations

import numpy as np
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from cookscribe.evaluation.soda import soda_tiou
from cookscribe.proposals.span_sets import (
    SampledSets,
    SpanGrid,
    best_expected,
    best_set,
    expected_soda,
    log_sums,
    sample_sets,
)


def _apart(grid: SpanGrid, count: int) -> list[tuple[int, ...]]:
    """All sets of `count` spans that do not overlap."""
    spans = grid.spans
    return [
        chosen
        for chosen in combinations(range(len(spans)), count)
        if all(spans[b, 0] >= spans[a, 1] or spans[a, 0] >= spans[b, 1] for a, b in combinations(chosen, 2))
    ]


@given(seed=st.integers(0, 999), bins=st.integers(2, 5))
@settings(max_examples=20, deadline=None)
def test_the_best_set_is_the_best_of_all(seed: int, bins: int) -> None:
    grid = SpanGrid(bins, 3)
    gains = np.random.default_rng(seed).uniform(0, 1, len(grid.spans))
    for count in range(1, 4):
        apart = _apart(grid, count)
        found = best_set(gains, grid, count)
        if not apart:
            assert found == []
            continue
        assert found == sorted(max(apart, key=lambda chosen: gains[list(chosen)].sum()))


@given(seed=st.integers(0, 999), bins=st.integers(1, 5), longest=st.integers(1, 6))
@settings(max_examples=20, deadline=None)
def test_the_sum_over_all_sets(seed: int, bins: int, longest: int) -> None:
    grid = SpanGrid(bins, longest)
    scores = np.random.default_rng(seed).normal(0, 1, len(grid.spans))
    every = [chosen for count in range(bins + 1) for chosen in _apart(grid, count)]
    expected = math.log(sum(math.exp(scores[list(chosen)].sum()) for chosen in every))
    assert math.isclose(float(log_sums(torch.from_numpy(scores)[None], grid)[0, -1]), expected, rel_tol=1e-9)


def test_samples_come_as_often_as_they_are_likely() -> None:
    grid = SpanGrid(3, 2)
    scores = torch.tensor([[0.3, -1.0, 0.5, 0.2, -0.4], [9.0, -9.0, -9.0, -9.0, -9.0]], dtype=torch.float64)
    count = 20_000
    sampled = sample_sets(scores, grid, np.array([count, 500]), np.random.default_rng(0))
    sets: dict[tuple[int, ...], int] = {}
    for owner in range(count):
        low, high = np.searchsorted(sampled.owner, (owner, owner + 1))
        chosen = tuple(sampled.span[low:high].tolist())
        sets[chosen] = sets.get(chosen, 0) + 1
    every = [chosen for number in range(4) for chosen in _apart(grid, number)]
    weight = {chosen: math.exp(float(scores[0, list(chosen)].sum())) for chosen in every}
    assert set(sets) <= set(every)
    for chosen in every:
        share = weight[chosen] / sum(weight.values())
        assert abs(sets.get(chosen, 0) / count - share) < 4 * math.sqrt(share / count), chosen
    second = sampled.span[sampled.owner >= count]
    assert np.mean(second == 0) > 0.99, "the second model is sure of its first span"


def test_expected_soda_is_the_mean_of_the_evaluators() -> None:
    grid = SpanGrid(12, 5)
    truths = sample_sets(torch.zeros(1, len(grid.spans)), grid, np.array([15]), np.random.default_rng(1))
    chosen = [int(n) for n in grid.nearest_set(np.array([[0.0, 3.0], [4.0, 6.0], [6.0, 11.0]]), 12.0)]
    each = [
        soda_tiou({"film": grid.spans[truths.span[truths.owner == n]]}, {"film": grid.spans[chosen]})
        for n in range(truths.count)
        if truths.sizes[n]
    ]
    assert math.isclose(100 * expected_soda(chosen, truths, grid), sum(each) / truths.count, rel_tol=1e-5)


def test_where_all_samples_agree_they_are_the_answer() -> None:
    grid = SpanGrid(10, 4)
    agreed = grid.nearest_set(np.array([[0.0, 2.0], [3.0, 7.0], [8.0, 9.0]]), 10.0)
    truths = SampledSets(np.repeat(np.arange(4), 3), np.tile(agreed, 4), 4)
    chosen, overlaps = best_expected(truths, grid, 6)
    assert chosen == agreed.tolist()
    assert overlaps.tolist() == [1.0, 1.0, 1.0]
    nothing = SampledSets(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), 4)
    assert len(best_expected(nothing, grid, 6)[0]) >= 1, "a recipe has a step"


def test_true_steps_on_the_grid() -> None:
    grid = SpanGrid(10, 4)

    def nearest(*spans: tuple[float, float]) -> list[list[int]]:
        found: list[list[int]] = grid.spans[grid.nearest_set(np.array(spans), 20.0)].tolist()
        return found

    assert nearest((4.1, 7.9), (12.0, 14.0)) == [[2, 4], [6, 7]]
    assert nearest((12.0, 14.0), (4.0, 8.0)) == [[2, 4], [6, 7]], "in order of start"
    assert nearest((2.0, 8.0), (6.0, 12.0)) == [[1, 4], [4, 6]], "the later one gives way"
    assert nearest((5.9, 6.1)) == [[3, 4]], "at least a bin"
    assert nearest((19.9, 20.0)) == [[9, 10]]
    assert nearest((0.0, 20.0)) == [[3, 7]], "the middle of what is too long"
