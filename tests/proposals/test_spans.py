"""Spans: the dynamic programme against all sets, labels, and that something is learnt."""

from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from cookscribe.proposals.spans import SpanConfig, best_sets, span_labels


@given(seed=st.integers(0, 999), bins=st.integers(2, 5))
@settings(max_examples=20, deadline=None)
def test_best_sets_are_the_best_of_all(seed: int, bins: int) -> None:
    config = SpanConfig(feature_size=1, bins=bins, longest=3)
    grid = config.grid
    quality = np.random.default_rng(seed).uniform(0, 1, len(grid))
    found = best_sets(quality, config, 3)
    for count in range(1, 4):
        apart = [
            chosen
            for chosen in combinations(range(len(grid)), count)
            if all(grid[b, 0] >= grid[a, 1] or grid[a, 0] >= grid[b, 1] for a, b in combinations(chosen, 2))
        ]
        if not apart:
            assert len(found) < count
            continue
        best = max(apart, key=lambda chosen: quality[list(chosen)].sum())
        assert np.isclose(found[count - 1][0], quality[list(best)].sum())
        assert sorted(found[count - 1][1]) == sorted(best)


def test_labels_are_overlaps_with_the_nearest_step() -> None:
    config = SpanConfig(feature_size=1, bins=4, longest=4)
    labels = dict(
        zip(map(tuple, config.grid.tolist()), span_labels(np.array([[10.0, 20.0]]), 40.0, config), strict=True)
    )
    assert labels[1, 2] == 1.0
    assert labels[0, 2] == 0.5
    assert labels[0, 1] == 0.0
