from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cookscribe.encoders.store import FeatureStore
from cookscribe.errors import BadValueError
from cookscribe.evaluation import Events, evaluate
from cookscribe_lab import nearest
from cookscribe_lab.kitchen_features.stream_folder import settings_for, write_streams
from cookscribe_lab.nearest import NearestNeighbourCaptioner
from lab.tests.kitchen_features.plain_videos import plain_videos


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 30), st.integers(1, 8), st.integers(0, 1000))
def test_the_neighbour_is_the_one_brute_force_finds(events: int, width: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    memory, queries = rng.normal(2.0, 1.0, (events, width)), rng.normal(2.0, 1.0, (5, width))
    captioner = NearestNeighbourCaptioner.fit(memory, [str(n) for n in range(events)])
    mean = memory.mean(axis=0)
    for query, best in zip(queries, map(int, captioner.caption(queries)), strict=True):
        cosines = [
            (query - mean) @ (row - mean) / (np.linalg.norm(query - mean) * np.linalg.norm(row - mean))
            for row in memory
        ]
        assert cosines[best] == pytest.approx(max(cosines), abs=1e-4)


def test_an_event_it_knows_gets_its_own_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nearest, "CHUNK", 7)  # so that the last chunk is a short one
    features = np.random.default_rng(0).normal(size=(20, 6))
    sentences = [f"step {n}" for n in range(20)]
    assert NearestNeighbourCaptioner.fit(features, sentences).caption(features) == sentences


def test_it_captions_new_events_and_beats_chance(tmp_path: Path) -> None:
    videos = plain_videos(80)
    train, new = ([video for video in videos if video.split == split] for split in ("training", "validation"))
    write_streams(videos, tmp_path, settings_for("milnce-like"))
    store = FeatureStore(tmp_path)
    captioner = NearestNeighbourCaptioner.fit_videos(train, store)
    guesses = {video.id: captioner.caption(store.read(video.id).over(video.spans)) for video in new}
    truth = {video.id: Events(video.spans, video.sentences) for video in new}
    found = {video.id: Events(video.spans, tuple(guesses[video.id])) for video in new}
    rng = np.random.default_rng(0)
    drawn = {video.id: Events(video.spans, tuple(rng.choice(captioner.sentences, len(video.spans)))) for video in new}
    score, chance = (
        evaluate(truth, captions, meteor=False).soda_mean("strict", "CIDEr") for captions in (found, drawn)
    )
    assert score > 1.5 * chance


def test_wrong_shapes_are_named() -> None:
    with pytest.raises(BadValueError, match="do not make events"):
        NearestNeighbourCaptioner.fit(np.ones((3, 2)), ["one"])
    with pytest.raises(BadValueError, match="no videos"):
        NearestNeighbourCaptioner.fit_videos([], FeatureStore(Path("nowhere")))
    captioner = NearestNeighbourCaptioner.fit(np.ones((1, 2)), ["one"])
    with pytest.raises(BadValueError, match=r"\(N, 2\)"):
        captioner.caption(np.ones((1, 3)))
    assert captioner.caption(np.ones((1, 2))) == ["one"]  # a feature equal to the mean has no direction, but a caption
