"""Feature tracks: pooling and resampling against slow and obvious code."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cookscribe.errors import BadValueError
from cookscribe.track import FeatureTrack


def track_of(times: list[float], dtype: str = "float32") -> FeatureTrack:
    values = np.random.default_rng(len(times)).normal(size=(len(times), 3)).astype(dtype)
    return FeatureTrack(np.array(times), values, "made-up", max(times) + 1.0)


times = st.lists(st.floats(0, 100), min_size=1, max_size=30).map(sorted)


@given(times, st.lists(st.tuples(st.floats(0, 110), st.floats(0, 110)).map(sorted), max_size=8), st.booleans())
@settings(max_examples=80)
def test_pooling(moments: list[float], spans: list[list[float]], half: bool) -> None:
    track = track_of(moments, "float16" if half else "float32")
    pooled = track.over(np.array(spans).reshape(-1, 2))
    assert pooled.shape == (len(spans), 3)
    assert pooled.dtype == np.float32
    for row, (start, end) in zip(pooled, spans, strict=True):
        inside = [n for n, time in enumerate(moments) if start <= time <= end]
        if inside:
            np.testing.assert_allclose(row, track.values[inside].astype(np.float64).mean(axis=0), atol=1e-5)
        else:
            distances = np.abs(np.array(moments) - (start + end) / 2)
            nearest = np.flatnonzero(distances == distances.min())
            assert any(np.array_equal(row, track.values[n].astype(np.float32)) for n in nearest)


@given(times, st.integers(1, 50))
@settings(max_examples=60)
def test_resampling_takes_the_nearest_row(moments: list[float], length: int) -> None:
    track = track_of(moments)
    rows = track.resampled(length)
    assert rows.shape == (length, 3)
    for n, row in enumerate(rows):
        centre = (n + 0.5) * track.duration / length
        distances = np.abs(np.array(moments) - centre)
        near = np.flatnonzero(distances <= distances.min() + 1e-9)
        assert any(np.array_equal(row, track.values[k]) for k in near)


@pytest.mark.parametrize(
    ("times", "values", "duration"),
    [
        ([], np.zeros((0, 3)), 1.0),
        ([0.0], np.zeros((1, 0)), 1.0),
        ([0.0, 1.0], np.zeros((1, 3)), 1.0),
        ([0.0], np.zeros(3), 1.0),
        ([1.0, 0.0], np.zeros((2, 3)), 1.0),
        ([0.0, np.nan], np.zeros((2, 3)), 1.0),
        ([0.0], np.zeros((1, 3)), 0.0),
        ([0.0], np.zeros((1, 3)), np.nan),
        ([0.0], np.zeros((1, 3)), np.inf),
    ],
)
def test_what_is_no_track_is_refused(times: list[float], values: np.ndarray, duration: float) -> None:
    with pytest.raises(BadValueError):
        FeatureTrack(np.array(times), values, "made-up", duration)


def test_width() -> None:
    assert track_of([0.0, 1.0]).width == 3
