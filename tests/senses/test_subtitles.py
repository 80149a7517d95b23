"""Transcripts from subtitle files."""

import json
import os
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cookscribe.errors import BadFileError
from cookscribe.senses.subtitles import LONGEST_LINE, MOST_BYTES, _spoken, cues, find_transcript, read_transcript

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
        ("a.json", '[{"start": 0, "end": 1e308, "text": "boil"}]', "later than any film"),
        ("a.json", '[{"start": "1e999", "end": "1e999", "text": "boil"}]', "later than any film"),
        ("a.json", '[{"start": -5, "end": 1, "text": "boil"}]', "negative"),
        ("a.json", '[{"start": NaN, "end": 1, "text": "boil"}]', "NaN"),
        ("a.json", '[{"start": "nan", "end": 1, "text": "boil"}]', "segment"),
        ("a.json", '[{"start": 0, "end": 1, "text": null}]', "segment 0"),
        ("a.json", '[{"start": 0, "end": [1], "text": "boil"}]', "segment 0"),
        ("a.txt", "boil " * 5000, "5000 words, but the film lasts 90 s"),
        ("a.vtt", "WEBVTT\n\n00:01.000 --> 00:02.000\n" + "boil " * 5000, "line 4 has 25000 characters"),
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


def test_what_cannot_be_a_transcript_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.vtt")
    (tmp_path / "endless.srt").symlink_to("/dev/zero")
    for name in ("pipe.vtt", "endless.srt"):
        with pytest.raises(BadFileError, match="device or a pipe"):
            read_transcript(tmp_path / name, 90.0)
    for name in ("a.vtt", "a.txt", "a.json"):
        with (tmp_path / name).open("wb") as file:
            file.truncate(MOST_BYTES + 1)
        with pytest.raises(BadFileError, match="too large"):
            read_transcript(tmp_path / name, 90.0)


def test_cues_in_any_order_and_over_each_other(tmp_path: Path) -> None:
    path = tmp_path / "a.vtt"
    cue = "{:06.3f} --> 00:{:06.3f}\n{}\n\n00:"
    parts = [cue.format(*part) for part in ((20, 10, "serve it"), (1, 30, "boil"), (2, 3, "rice"))]
    path.write_text("WEBVTT\n\n00:" + "".join(parts))
    transcript = read_transcript(path, 90.0)
    assert transcript.words == ("boil", "rice", "serve", "it")


def test_codes_and_odd_characters_are_not_said() -> None:
    odd = "00:01.000 --> 00:02.000\n\x1b[31mboil\x07 &#27;[1mthe &#x202e;ri\u00adce&#" + "9" * 5000 + ";\n"
    assert cues(odd) == [(1.0, 2.0, "boil [1mthe rice")]
    assert _spoken("\x1b[31mboil the rice\x1b]0;title\x07 \x1b[0m") == "boil the rice"


OPEN = ["<", "[", "(", "{\\", "&", "&#", "&#9", "&#x", "&amp", "<[({\\", "\x1b[", "♪", "-", "<b", "]", " ", "-->"]


@pytest.mark.parametrize("sign", OPEN)
def test_a_hostile_line_takes_as_long_as_a_friendly_one(sign: str) -> None:
    size = 2_000_000
    seconds = []
    for line in ("boil the rice (softly) [music] & <b>stir</b> " * (size // 45), sign * (size // len(sign))):
        started = time.process_time()
        _spoken(line)
        seconds.append(time.process_time() - started)
    # What grows with the square of the length takes hours.
    assert seconds[1] < 30 * seconds[0] + 2


def test_many_lines_in_one_cue_are_compared_at_once() -> None:
    block = "\n".join(f"line {n}" for n in range(20_000))
    text = f"WEBVTT\n\n00:01.000 --> 00:02.000\n{block}\n\n00:02.000 --> 00:03.000\n{block}\nand serve\n"
    started = time.process_time()
    assert cues(text)[1:] == [(2.0, 3.0, "and serve")]
    assert time.process_time() - started < 30


pieces = st.sampled_from([*OPEN, ">", ")", "}", "\n", "\n\n", "00:01.000 --> 00:02.000\n", "boil", "rice", "&lt;", "é"])


@given(st.lists(pieces, max_size=40).map("".join), st.sampled_from([".vtt", ".srt", ".txt", ".json"]))
def test_any_file_is_words_or_a_typed_error(tmp_path_factory: pytest.TempPathFactory, text: str, ending: str) -> None:
    path = tmp_path_factory.mktemp("said") / f"a{ending}"
    path.write_text(json.dumps([{"start": 1, "end": 2, "text": text}]) if ending == ".json" else text)
    try:
        transcript = read_transcript(path, 60.0)
    except BadFileError:
        return
    assert len(transcript)
    assert all(word.isprintable() and "<" not in word for word in transcript.words)


def test_the_longest_line_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.srt"
    path.write_text("1\n00:00:01,000 --> 00:00:03,000\n" + "boil " * (LONGEST_LINE // 5) + "\n")
    assert len(read_transcript(path, 90.0)) == LONGEST_LINE // 5


def test_subtitles_beside_a_film_are_found(tmp_path: Path) -> None:
    film = tmp_path / "soup.mp4"
    assert find_transcript(film) is None
    (tmp_path / "soup.recipe.vtt").write_text(VTT)
    (tmp_path / "soup.recipe.srt").write_text(SRT)
    (tmp_path / "soup.part2.vtt").write_text(VTT)
    assert find_transcript(film) is None
    (tmp_path / "soup.de.vtt").write_text(VTT)
    (tmp_path / "soup.en.vtt").write_text(VTT)
    (tmp_path / "soupe.vtt").write_text(VTT)
    assert find_transcript(film) == tmp_path / "soup.en.vtt"
    (tmp_path / "soup.json").write_text("{}")
    (tmp_path / "soup.txt").write_text("onions")
    assert find_transcript(film) == tmp_path / "soup.en.vtt"
    (tmp_path / "soup.transcript.txt").write_text("boil the rice")
    assert find_transcript(film) == tmp_path / "soup.transcript.txt"
    (tmp_path / "soup.transcript.json").write_text("[]")
    assert find_transcript(film) == tmp_path / "soup.transcript.json"
    (tmp_path / "soup.srt").write_text(SRT)
    assert find_transcript(film) == tmp_path / "soup.srt"
    assert find_transcript(tmp_path / ("s" * 250 + ".mp4")) is None


@given(st.text(max_size=200))
def test_any_text_is_read_or_passed_over(text: str) -> None:
    for start, end, line in cues(text):
        assert 0 <= start <= end
        assert line
