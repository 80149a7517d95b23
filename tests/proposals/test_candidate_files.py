"""PDVC candidate files: read, written, and read back the same."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cookscribe.candidates import Candidates
from cookscribe.errors import BadFileError
from cookscribe.proposals.candidate_files import read_candidates, write_candidates


def event(start: float, end: float, score: float, **more: Any) -> dict[str, Any]:
    return {
        "timestamp": [start, end],
        "raw_box": [start, end],
        "proposal_score": score,
        "sentence": f"do what happens at {start}.",
        "sentence_score": -score,
        "query_id": 3,
        "vid_duration": 50.0,
        "pred_event_count": 4,
    } | more


def written(folder: Path, results: Any) -> Path:
    path = folder / "candidates.json"
    path.write_text(json.dumps({"results": results, "version": "VERSION 1.0", "external_data": {}}))
    return path


def test_events_come_out_by_start_with_everything_attached(tmp_path: Path) -> None:
    path = written(tmp_path, {"v_a": [event(20, 30, 0.9), event(5, 50, 0.5), event(5, 9, 0.1)]})
    found = read_candidates(path)["a"]
    np.testing.assert_array_equal(found.spans, [[5, 9], [5, 50], [20, 30]])
    np.testing.assert_array_equal(found.scores, [0.1, 0.5, 0.9])
    np.testing.assert_array_equal(found.caption_scores, [-0.1, -0.5, -0.9])
    assert found.captions == ("do what happens at 5.", "do what happens at 5.", "do what happens at 20.")
    assert (found.duration, found.count) == (50.0, 4)


def test_given_durations_win_and_fill_in(tmp_path: Path) -> None:
    bare = event(1, 2, 0.5)
    del bare["vid_duration"]
    path = written(tmp_path, {"v_a": [event(5, 50.02, 0.5)], "v_b": [bare], "v_c": []})
    found = read_candidates(path, {"a": 50.01, "b": 7.0, "c": 8.0})
    assert {key: value.duration for key, value in found.items()} == {"a": 50.01, "b": 7.0, "c": 8.0}
    assert found["a"].spans[0, 1] == 50.01
    assert len(found["c"]) == 0
    with pytest.raises(BadFileError, match="b has no vid_duration"):
        read_candidates(path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"timestamp": [9, 5]}, "reversed"),
        ({"timestamp": [5]}, "timestamp"),
        ({"timestamp": [5, 60]}, "after the end"),
        ({"proposal_score": "high"}, "proposal_score"),
        ({"vid_duration": 49.0}, "disagree"),
        ({"pred_event_count": 5}, "disagree"),
    ],
)
def test_a_wrong_event_is_named(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    path = written(tmp_path, {"v_a": [event(1, 2, 0.5), event(5, 9, 0.5, **change)]})
    with pytest.raises(BadFileError, match=message) as caught:
        read_candidates(path)
    assert "candidates.json" in str(caught.value)


def test_the_written_file_has_the_released_shape(tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    spans = np.array([[0.0, 4.0], [3.0, 9.0]])
    write_candidates(path, {"a": Candidates(spans, np.array([0.2, 0.7]), 10.0, ("one", "two"), np.zeros(2), count=3)})
    content = json.loads(path.read_text())
    assert set(content) >= {"results", "version", "external_data", "valid_video_num", "avg_proposal_num"}
    first = content["results"]["v_a"][0]
    assert set(first) == set(event(0, 1, 0.5))
    assert first["proposal_score"] == 0.7
    assert first["timestamp"] == [3.0, 9.0]


@st.composite
def candidates(draw: st.DrawFn) -> Candidates:
    count = draw(st.integers(0, 6))
    duration = draw(st.floats(1.0, 1e4))
    spans = [sorted(draw(st.tuples(*[st.floats(0.0, duration)] * 2))) for _ in range(count)]
    numbers = st.lists(st.floats(-100, 0), min_size=count, max_size=count)
    with_captions = draw(st.booleans())
    return Candidates(
        spans=np.array(spans, dtype=np.float64).reshape(-1, 2),
        scores=np.array(draw(st.lists(st.floats(0, 1), min_size=count, max_size=count))),
        duration=duration,
        captions=tuple(draw(st.lists(st.text(st.characters(codec="utf-8")), min_size=count, max_size=count)))
        if with_captions
        else None,
        caption_scores=np.array(draw(numbers)) if with_captions else None,
        count=draw(st.none() | st.floats(0, 100)),
    )


@given(st.dictionaries(st.text("abc-_v", min_size=1, max_size=12), candidates(), max_size=4))
@settings(max_examples=50)
def test_round_trip(tmp_path_factory: pytest.TempPathFactory, videos: dict[str, Candidates]) -> None:
    path = tmp_path_factory.mktemp("round") / "candidates.json"
    write_candidates(path, videos)
    back = read_candidates(path)
    assert list(back) == list(videos)
    for video_id, before in videos.items():
        after = back[video_id]
        assert after.duration == before.duration
        if not len(before):
            assert (len(after), after.count) == (0, before.count)
            continue
        assert after.count == before.count
        # Events with equal borders have no order of their own.
        assert sorted(rows(after)) == sorted(rows(before))


def rows(events: Candidates) -> list[tuple[Any, ...]]:
    captions = events.captions or [""] * len(events)
    scores = events.caption_scores if events.caption_scores is not None else np.zeros(len(events))
    return [
        (*span, float(score), caption, float(caption_score))
        for span, score, caption, caption_score in zip(
            events.spans.tolist(), events.scores, captions, scores, strict=True
        )
    ]
