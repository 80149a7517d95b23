"""Cuts of a list of videos: complete, fixed, and independent of order."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cookscribe.errors import BadValueError
from cookscribe.learning.datasets.splits import development_split, folds, subset

ids = st.lists(st.text("abcdefg-_", min_size=1, max_size=6), min_size=5, max_size=60, unique=True)


@given(ids, st.floats(0.01, 0.99), st.integers(0, 3), st.randoms())
@settings(max_examples=60)
def test_development_split(videos: list[str], share: float, seed: int, order: random.Random) -> None:
    rest, development = development_split(videos, share, seed=seed)
    assert sorted(rest + development) == sorted(videos)
    assert rest
    assert development
    assert abs(len(development) - share * len(videos)) <= 1
    shuffled = order.sample(videos, len(videos))
    assert development_split(shuffled, share, seed=seed) == (rest, development)


@given(ids, st.integers(2, 5), st.integers(0, 3))
@settings(max_examples=60)
def test_folds(videos: list[str], count: int, seed: int) -> None:
    parts = folds(videos, count, seed=seed)
    assert sorted(video for part in parts for video in part) == sorted(videos)
    assert max(map(len, parts)) - min(map(len, parts)) <= 1
    assert folds(reversed(videos), count, seed=seed) == parts


def test_these_cuts_never_change() -> None:
    """Results are compared over years: the same ids and seed must give the same cut in every version."""
    videos = [f"video{n}" for n in range(10)]
    assert development_split(videos, 0.2)[1] == ("video3", "video5")
    assert folds(videos, 3)[0] == ("video0", "video4", "video5")
    assert subset(videos, 3) == ("video0", "video4", "video5")


def test_a_video_more_moves_hardly_any_other() -> None:
    videos = [f"video{n}" for n in range(200)]
    before, after = folds(videos, 5), folds([*videos, "new"], 5)
    moved = sum(len(set(a) - set(b)) for a, b in zip(before, after, strict=True))
    assert moved <= 5


def test_subsets_are_nested_and_seeds_differ() -> None:
    videos = [f"video{n}" for n in range(50)]
    assert set(subset(videos, 10)) < set(subset(videos, 20))
    assert subset(videos, 10) != subset(videos, 10, seed=1)
    assert development_split(videos) != development_split(videos, seed=1)
    assert subset(videos, 0) == ()


def test_impossible_cuts_are_refused() -> None:
    for share in (0.0, 1.0, -1.0):
        with pytest.raises(BadValueError):
            development_split(["a", "b", "c"], share)
    with pytest.raises(BadValueError):
        development_split(["a"])
    for count in (1, 4):
        with pytest.raises(BadValueError):
            folds(["a", "b", "c"], count)
    with pytest.raises(BadValueError):
        subset(["a"], 2)
