"""Oracle labels against slow and obvious implementations."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cookscribe.errors import BadValueError
from cookscribe.learning.datasets.oracle import oracle_labels

moments = st.integers(0, 12)
spans = st.lists(st.tuples(moments, moments).map(sorted), max_size=5).map(
    lambda rows: np.array(sorted(rows), dtype=np.float64).reshape(-1, 2)
)


def tiou(a: np.ndarray, b: np.ndarray) -> float:
    overlap = max(0.0, min(a[1], b[1]) - max(a[0], b[0]))
    union = (a[1] - a[0]) + (b[1] - b[0]) - overlap
    return overlap / union if union else 0.0


@given(spans, spans)
@settings(max_examples=100)
def test_paper_is_the_released_loop(truth: np.ndarray, candidates: np.ndarray) -> None:
    labels = oracle_labels(truth, candidates, "paper")
    for step, label in zip(truth, labels, strict=True):
        if not len(candidates):
            assert label == -1
            continue
        best, index = 0.0, 0
        for n, candidate in enumerate(candidates):
            if tiou(step, candidate) > best:
                best, index = tiou(step, candidate), n
        assert label == index


@given(spans, spans)
@settings(max_examples=100)
def test_story_has_the_highest_sum_of_all_increasing_assignments(truth: np.ndarray, candidates: np.ndarray) -> None:
    labels = oracle_labels(truth, candidates, "story")
    chosen = labels[labels >= 0]
    assert (np.diff(chosen) > 0).all()
    gains = [tiou(truth[t], candidates[n]) for t, n in enumerate(labels) if n >= 0]
    assert all(gain > 0 for gain in gains)
    best = 0.0
    for size in range(min(len(truth), len(candidates)) + 1):
        for rows in combinations(range(len(truth)), size):
            for columns in combinations(range(len(candidates)), size):
                best = max(best, sum(tiou(truth[t], candidates[n]) for t, n in zip(rows, columns, strict=True)))
    assert sum(gains) == pytest.approx(best)


def test_paper_allows_what_story_forbids() -> None:
    truth = np.array([[0.0, 10.0], [2.0, 10.0], [1.0, 9.0]])
    candidates = np.array([[0.0, 3.0], [1.0, 9.0], [2.0, 10.0]])
    assert oracle_labels(truth, candidates, "paper").tolist() == [1, 2, 1]
    assert oracle_labels(truth, candidates, "story").tolist() == [0, 1, 2]


def test_steps_without_a_candidate() -> None:
    truth = np.array([[0.0, 1.0], [50.0, 60.0], [51.0, 59.0]])
    candidates = np.array([[10.0, 12.0], [49.0, 60.0]])
    assert oracle_labels(truth, candidates, "paper").tolist() == [0, 1, 1]
    assert oracle_labels(truth, candidates, "story").tolist() == [-1, 1, -1]
    assert oracle_labels(truth[:0], candidates, "story").shape == (0,)


def test_story_orders_candidates_itself() -> None:
    truth = np.array([[0.0, 5.0], [10.0, 15.0]])
    shuffled = np.array([[10.0, 15.0], [0.0, 5.0]])
    assert oracle_labels(truth, shuffled, "story").tolist() == [1, 0]


def test_an_unknown_rule_is_refused() -> None:
    with pytest.raises(BadValueError, match="unknown rule"):
        oracle_labels(np.zeros((1, 2)), np.zeros((1, 2)), "best")  # type: ignore[arg-type]
