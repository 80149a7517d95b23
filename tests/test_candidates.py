"""Candidates: sorted with everything attached, and tIoU by definition."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cookscribe.candidates import Candidates, tiou_matrix
from cookscribe.errors import BadValueError

span_lists = st.lists(st.tuples(st.floats(0, 50), st.floats(0, 50)).map(sorted), max_size=9)


@given(span_lists)
@settings(max_examples=60)
def test_everything_moves_with_its_span(spans: list[list[float]]) -> None:
    count = len(spans)
    captions = tuple(f"caption {n}" for n in range(count))
    numbers = np.arange(count, dtype=np.float64)
    made = Candidates(np.array(spans), numbers, 50.0, captions, -numbers, np.stack([numbers] * 2, axis=1), count=3)
    assert len(made) == count
    assert [tuple(span) for span in made.spans] == sorted(map(tuple, spans))
    for n in range(count):
        original = int(made.scores[n])
        assert made.spans[n].tolist() == spans[original]
        assert made.captions[n] == captions[original]
        assert made.caption_scores[n] == -original
        assert made.features[n].tolist() == [original] * 2


def test_taking_some() -> None:
    made = Candidates(np.array([[0, 1], [2, 3], [4, 5.0]]), np.array([0.1, 0.2, 0.3]), 9.0, ("a", "b", "c"), count=2)
    some = made.take([2, 0])
    assert some.captions == ("a", "c")
    assert some.scores.tolist() == [0.1, 0.3]
    assert (some.count, some.duration) == (2, 9.0)
    assert len(made.take([])) == 0


@pytest.mark.parametrize(
    "change",
    [
        {"spans": np.zeros((2, 3))},
        {"spans": np.zeros(3)},
        {"spans": np.zeros((3, 2))},
        {"spans": np.array([[3.0, 1.0], [0, 1]])},
        {"spans": np.array([[-1.0, 1.0], [0, 1]])},
        {"spans": np.array([[np.nan, 1.0], [0, 1]])},
        {"scores": np.array([np.inf, 1.0])},
        {"captions": ("one",)},
        {"caption_scores": np.zeros(3)},
        {"features": np.zeros((1, 4))},
        {"duration": 0.0},
        {"duration": float("nan")},
    ],
)
def test_what_does_not_fit_together_is_refused(change: dict[str, Any]) -> None:
    good: dict[str, Any] = {"spans": np.array([[0.0, 1.0], [2, 3]]), "scores": np.ones(2), "duration": 9.0}
    assert len(Candidates(**good)) == 2
    with pytest.raises(BadValueError):
        Candidates(**(good | change))


def test_none_at_all() -> None:
    empty = Candidates(np.zeros((0, 2)), np.zeros(0), 5.0)
    assert empty.spans.shape == (0, 2)
    assert tiou_matrix(empty.spans, np.zeros((3, 2))).shape == (0, 3)


@given(span_lists, span_lists)
@settings(max_examples=60)
def test_tiou_by_definition(left: list[list[float]], right: list[list[float]]) -> None:
    matrix = tiou_matrix(np.array(left).reshape(-1, 2), np.array(right).reshape(-1, 2))
    assert matrix.shape == (len(left), len(right))
    for i, (a, b) in enumerate(left):
        for j, (c, d) in enumerate(right):
            overlap = max(0.0, min(b, d) - max(a, c))
            union = (b - a) + (d - c) - overlap
            assert matrix[i, j] == pytest.approx(overlap / union if union > 0 else 0.0)
