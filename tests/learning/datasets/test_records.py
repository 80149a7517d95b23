"""Annotated videos: the parts must fit together."""

from typing import Any

import numpy as np
import pytest

from cookscribe.errors import BadValueError
from cookscribe.learning.datasets.records import AnnotatedVideo

GOOD: dict[str, Any] = {"id": "a", "duration": 9.0, "spans": np.array([[0, 1], [2, 3]]), "sentences": ("boil", "serve")}


def test_a_video() -> None:
    video = AnnotatedVideo(**GOOD)
    assert video.spans.dtype == np.float64
    assert AnnotatedVideo("b", 1.0, np.zeros((0, 2)), ()).spans.shape == (0, 2)


@pytest.mark.parametrize(
    "change",
    [
        {"spans": np.zeros((2, 3))},
        {"spans": np.zeros((1, 2))},
        {"spans": np.zeros(4)},
        {"spans": np.array([[1, 0], [2, 3]])},
        {"spans": np.array([[-1, 0], [2, 3]])},
        {"spans": np.array([[0, np.nan], [2, 3]])},
        {"sentences": ("boil",)},
        {"duration": 0.0},
        {"duration": float("inf")},
    ],
)
def test_parts_that_do_not_fit_are_refused(change: dict[str, Any]) -> None:
    with pytest.raises(BadValueError, match="a:"):
        AnnotatedVideo(**(GOOD | change))
