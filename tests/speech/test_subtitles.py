"""Transcripts from subtitle files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cookscribe.errors import BadFileError
from cookscribe.speech.subtitles import cues, find_transcript, read_transcript

VTT = """WEBVTT
Kind: captions

00:00:01.000 --> 00:00:04.000 align:start position:0%
Chop<00:00:02.000><c> the onion</c>

00:04.000 --> 00:06.500
Chop the onion
then fry &amp; stir it

NOTE a remark

00:00:07.000 --> 00:00:09.000
[Music]
"""
SRT = (
    "1\r\n0:00:01,000 --> 00:00:03,000\r\n<i>Boil the rice</i>\r\n\r\n2\r\n00:01:00,500 --> 00:01:02,000\r\n- Serve\r\n"
)


def test_rolling_lines_are_taken_once() -> None:
    assert cues(VTT) == [(1.0, 4.0, "Chop the onion"), (4.0, 6.5, "then fry & stir it")]


def test_subrip() -> None:
    assert cues(SRT) == [(1.0, 3.0, "Boil the rice"), (60.5, 62.0, "Serve")]


def test_every_kind_of_file(tmp_path: Path) -> None:
    segments = [{"start": 1.0, "end": 3.0, "text": "boil the rice"}]
    files = {
        "a.vtt": VTT,
        "b.srt": SRT,
        "c.json": json.dumps(segments),
        "d.json": json.dumps({"segments": segments, "language": "en"}),
        "e.txt": "boil the rice\nand serve",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
        transcript = read_transcript(tmp_path / name, 90.0)
        assert len(transcript) >= 3
        assert transcript.timed == (not name.endswith(".txt"))
    assert read_transcript(tmp_path / "c.json", 90.0).times[0, 0] == 1.0


@pytest.mark.parametrize(
    ("name", "text", "cause"),
    [
        ("a.vtt", "WEBVTT\n", "no words"),
        ("a.json", '{"text": "boil"}', "segments"),
        ("a.json", '[{"start": "x", "end": 1, "text": "boil"}]', "segment 0"),
        ("a.json", '[{"start": 5, "end": 1, "text": "boil it"}]', "reversed"),
        ("a.doc", "boil", "not a transcript"),
        ("a.srt", "1\n01:00:01,000 --> 01:00:03,000\nBoil the rice\n", "another film"),
    ],
)
def test_bad_files_are_named(tmp_path: Path, name: str, text: str, cause: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(BadFileError) as error:
        read_transcript(tmp_path / name, 90.0)
    assert cause in str(error.value)
    assert name in str(error.value)


def test_subtitles_beside_a_film_are_found(tmp_path: Path) -> None:
    film = tmp_path / "soup.mp4"
    assert find_transcript(film) is None
    (tmp_path / "soup.recipe.vtt").write_text(VTT)
    (tmp_path / "soup.recipe.srt").write_text(SRT)
    assert find_transcript(film) is None
    (tmp_path / "soup.de.vtt").write_text(VTT)
    (tmp_path / "soup.en.vtt").write_text(VTT)
    (tmp_path / "soupe.vtt").write_text(VTT)
    assert find_transcript(film) == tmp_path / "soup.en.vtt"
    (tmp_path / "soup.srt").write_text(SRT)
    assert find_transcript(film) == tmp_path / "soup.srt"


@given(st.text(max_size=200))
def test_any_text_is_read_or_passed_over(text: str) -> None:
    for start, end, line in cues(text):
        assert 0 <= start <= end
        assert line
