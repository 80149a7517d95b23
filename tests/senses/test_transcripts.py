"""Transcripts: every word once, at a time that makes sense."""

import json
import os
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cookscribe.errors import BadFileError, BadValueError
from cookscribe.senses.recogniser import FromFile
from cookscribe.senses.transcripts import (
    LONGEST_WORD,
    Transcript,
    check_fits,
    read_timed_transcripts,
    read_untimed_transcripts,
)


def test_untimed_words_are_spread_evenly() -> None:
    transcript = Transcript.from_text("now we chop\nthe leeks", 10.0)
    assert transcript.words == ("now", "we", "chop", "the", "leeks")
    np.testing.assert_allclose(transcript.times, [[0, 2], [2, 4], [4, 6], [6, 8], [8, 10]])
    assert not transcript.timed
    assert transcript.between(4, 8) == "chop the"
    assert transcript.text == "now we chop the leeks"


def test_timed_words_stay_in_their_segment_and_pauses_are_cut() -> None:
    transcript = Transcript.from_segments([(20.0, 80.0, "then fry"), (4.0, 5.0, "chop the leeks finely")])
    assert transcript.words == ("chop", "the", "leeks", "finely", "then", "fry")
    assert transcript.timed
    np.testing.assert_allclose(transcript.times[:4], [[4, 4.25], [4.25, 4.5], [4.5, 4.75], [4.75, 5]])
    assert transcript.times[-1, 1] == 20.0 + 2 * LONGEST_WORD


def test_nothing_said() -> None:
    for transcript in (
        Transcript.from_text("", 9.0),
        Transcript.from_segments([]),
        Transcript.from_segments([(1, 2, " ")]),
    ):
        assert len(transcript) == 0
        assert transcript.between(0, 9) == ""


@given(
    st.lists(
        st.tuples(st.floats(0, 500), st.floats(0, 60), st.lists(st.sampled_from(["stir", "the", "pot"]), max_size=9)),
        max_size=8,
    ),
    st.lists(st.floats(0, 600), min_size=1, max_size=6),
)
@settings(max_examples=60)
def test_adjoining_spans_hold_every_word_exactly_once(
    parts: list[tuple[float, float, list[str]]], cuts: list[float]
) -> None:
    transcript = Transcript.from_segments([(start, start + length, " ".join(words)) for start, length, words in parts])
    borders = [0.0, *sorted(cuts), 1e9]
    said = [transcript.between(a, b) for a, b in pairwise(borders)]
    assert sorted(" ".join(said).split()) == sorted(word for _, _, words in parts for word in words)


def test_what_nobody_says_is_left_out() -> None:
    transcript = Transcript.from_text("<!-- chop \x1b[31mthe\x07leeks " + "x" * 5000 + " \u202efinely>", 10.0)
    assert transcript.words == ("!--", "chop", "the", "leeks", "finely")
    assert Transcript.from_segments([(0.0, 1.0, "x" * 5000)]).words == ()


def test_the_words_of_another_film(tmp_path: Path) -> None:
    check_fits(Transcript.from_text("stir " * 600, 10.0), 10.0, tmp_path)
    check_fits(Transcript.from_segments([]), 10.0, tmp_path)
    with pytest.raises(BadFileError, match="5000 words, but the film lasts 10 s"):
        check_fits(Transcript.from_text("stir " * 5000, 10.0), 10.0, tmp_path)
    with pytest.raises(BadFileError, match="words at 99 s"):
        check_fits(Transcript.from_segments([(99.0, 100.0, "stir")]), 10.0, tmp_path)


@pytest.mark.parametrize(("start", "end"), [(0, 1e308), (1e308, 1e308), (-1, 2), (float("nan"), 2), (0, float("inf"))])
def test_times_of_no_film_are_refused(start: float, end: float) -> None:
    with pytest.raises(BadValueError, match="later than any film"):
        Transcript.from_segments([(0.0, 1.0, "chop"), (start, end, "the leeks")])


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "said.jsonl")
    for read in (read_timed_transcripts, lambda path: read_untimed_transcripts(path, {}), FromFile):
        with pytest.raises(BadFileError, match="device or a pipe"):
            read(tmp_path / "said.jsonl")


@pytest.mark.parametrize(
    "times", [[[0, 1]], [[0, 1], [2, 1]], [[-1, 1], [2, 3]], [[5, 6], [2, 3]], [[0, np.nan], [2, 3]]]
)
def test_wrong_times_are_refused(times: list[list[float]]) -> None:
    with pytest.raises(BadValueError):
        Transcript(("a", "b"), np.array(times), timed=True)


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "said.jsonl"
    timed = {
        "video_id": "a",
        "split": "training",
        "segments": [
            {"start": 1.0, "end": 3.0, "text": "mix flower", "text_reviewed": "mix flour", "labels": {"verb": "mix"}}
        ],
    }
    path.write_text(json.dumps(timed) + "\n\n" + json.dumps(timed | {"video_id": "b", "segments": []}) + "\n")
    found = read_timed_transcripts(path)
    assert found["a"].text == "mix flower"
    assert len(found["b"]) == 0
    path.write_text(json.dumps({"video_id": "a", "text": "mix flour\nbake"}) + "\n")
    assert read_untimed_transcripts(path, {"a": 9.0})["a"].times[-1, 1] == 9.0


@pytest.mark.parametrize(
    "line",
    [
        '{"video_id": "b"',
        '{"video_id": "b"}',
        '{"video_id": 3, "segments": [], "text": ""}',
        '{"video_id": "b", "segments": [{"start": 5, "end": 3, "text": "x"}], "text": 4}',
        '{"video_id": "a", "segments": [], "text": ""}',
        '{"video_id": "b", "segments": [{"start": 0, "end": 1e308, "text": "x"}], "text": 4}',
        '{"video_id": "b", "segments": [{"start": -1, "end": 1, "text": "x"}], "text": 4}',
        '{"video_id": "b", "segments": [{"start": NaN, "end": 1, "text": "x"}], "text": NaN}',
        "[]",
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "said.jsonl"
    path.write_text('{"video_id": "a", "segments": [], "text": "x"}\n' + line + "\n")
    with pytest.raises(BadFileError, match="line 2"):
        read_timed_transcripts(path)
    with pytest.raises(BadFileError, match="line 2"):
        read_untimed_transcripts(path, {"a": 1.0, "b": 1.0})


def test_an_unknown_duration_is_named(tmp_path: Path) -> None:
    path = tmp_path / "said.jsonl"
    path.write_text('{"video_id": "a", "text": "x"}\n')
    with pytest.raises(BadFileError, match="duration of a is not known"):
        read_untimed_transcripts(path, {})
