"""Steps of films of which only pictures are known."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cookscribe.proposals.scenes import StepPrior, changes, find_steps
from cookscribe.seeds import generator
from cookscribe.track import FeatureTrack

PRIOR = StepPrior(count=(0.28, 0.42), count_deviation=0.35, length=-0.97, length_deviation=0.77)


def film(parts: list[tuple[int, int]], seed: int = 0) -> FeatureTrack:
    """Rows of parts (what is shown, seconds): each thing has its direction, with a little noise."""
    random = generator("parts", seed)
    directions = random.normal(size=(9, 32))
    rows = np.concatenate([directions[thing] + 0.15 * random.normal(size=(n, 32)) for thing, n in parts])
    return FeatureTrack(np.arange(len(rows)) + 0.5, rows.astype(np.float32), "made up", float(len(rows)))


def test_borders_lie_where_the_picture_changes() -> None:
    parts = [(0, 24), (1, 31), (2, 22), (3, 40), (4, 27), (5, 36)]
    found = find_steps(film(parts), np.full(180, 0.3), PRIOR)
    cuts = np.cumsum([0] + [n for _, n in parts])
    borders = np.unique(np.asarray(found.spans).ravel())
    near = [np.abs(cuts - border).min() <= 3.5 for border in borders]
    assert np.mean(near) >= 0.8
    assert 3 <= len(found) <= 9


def test_where_nobody_works_there_is_no_step() -> None:
    work = np.full(200, 0.3)
    work[:60] = -2.0  # somebody talks for a minute
    track = film([(0, 60), (1, 30), (2, 40), (3, 40), (4, 30)])
    spans = np.asarray(find_steps(track, work, PRIOR).spans)
    covered = np.clip(np.minimum(spans[:, 1], 60) - spans[:, 0], 0, None).sum()
    assert covered <= 6
    assert (spans[:, 1] > 60).any()


@given(st.integers(1, 700), st.integers(0, 3))
def test_any_film_gets_ordered_steps_within_it(seconds: int, seed: int) -> None:
    random = generator("any film", seconds, seed)
    rows = random.normal(size=(seconds, 8)).cumsum(axis=0).astype(np.float32)
    track = FeatureTrack(np.arange(seconds) + 0.0, rows, "made up", float(seconds))
    spans = np.asarray(find_steps(track, random.normal(size=seconds), PRIOR).spans)
    assert len(spans) >= 1
    assert (spans[:, 0] < spans[:, 1]).all()
    assert spans.min() >= 0
    assert spans.max() <= seconds
    assert all(one[1] <= other[0] + 1e-9 for one, other in itertools.pairwise(spans))


def test_a_clip_is_one_step_as_long_as_its_work() -> None:
    work = np.array([-2.0, -2, 0.3, 0.3, 0.3, 0.3, -2, 0.3, -2, -2])
    found = find_steps(film([(0, 10)]), work, PRIOR)
    assert np.asarray(found.spans).tolist() == [[2.5, 8.5]]


def test_a_longer_film_has_more_steps() -> None:
    parts = [(n % 9, 20 + 3 * (n % 5)) for n in range(24)]
    short, long = (find_steps(film(parts[:n]), np.full(sum(p[1] for p in parts[:n]), 0.3), PRIOR) for n in (5, 24))
    assert len(short) < len(long)


def test_changes_are_largest_at_the_cut() -> None:
    found = changes(film([(0, 20), (1, 20)]), np.arange(41.0))
    assert found.argmax() == 20
    assert found.mean() == pytest.approx(0.0, abs=0.2)
