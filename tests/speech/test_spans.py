"""Spans: the dynamic programme against all sets, labels, and that something is learnt."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from cookscribe.learning.datasets.records import AnnotatedVideo
from cookscribe.learning.narrated.span_task import train_spans
from cookscribe.proposals.spans import SpanConfig, best_sets, load_finder, span_labels
from cookscribe.track import FeatureTrack


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


def _video(number: int) -> tuple[AnnotatedVideo, FeatureTrack]:
    """A step where the track is 1."""
    rng = np.random.default_rng(number)
    duration = 100.0
    starts = np.sort(rng.choice(9, 3, replace=False)) * 10.0
    spans = np.stack([starts, starts + 10.0], axis=1)
    times = np.arange(0.5, duration, 1.0)
    inside = ((times[:, None] >= spans[:, 0]) & (times[:, None] < spans[:, 1])).any(axis=1)
    values = np.stack([inside, ~inside], axis=1).astype(np.float32)
    video = AnnotatedVideo(f"v{number:02d}", duration, spans, ("boil it",) * 3)
    return video, FeatureTrack(times, values, "made up", duration)


def test_learns_where_steps_are_and_keeps_folds_apart(tmp_path: Path) -> None:
    made = [_video(number) for number in range(20)]
    videos = {video.id: video for video, _ in made}
    tracks = {video.id: track for video, track in made}
    changes = {"bins": 20, "longest": 6, "width": 16, "dropout": 0.0}
    found = train_spans(
        videos,
        tracks,
        tmp_path,
        parts=2,
        changes=changes,
        training={"epochs": 15, "batch_size": 4, "evaluate_every": 15},
        quiet=True,
    )
    assert set(found) == set(videos)
    video, track = _video(99)
    events = load_finder(tmp_path).find(track)
    assert abs(len(events) - 3) <= 1
    covered = (
        sum(max(0.0, min(b, d) - max(a, c)) for a, b in events.spans.tolist() for c, d in video.spans.tolist())
        / (events.spans[:, 1] - events.spans[:, 0]).sum()
    )
    assert covered > 0.7
