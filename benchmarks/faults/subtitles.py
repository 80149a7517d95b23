"""Hostile subtitles and transcripts, beside the film or given: a recipe or a typed error, soon and in little memory."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

from cookscribe.seeds import generator
from faults import material
from faults.cases import Case, Scale
from faults.judging import answered, left, read_strictly, refused, tidy
from faults.running import Broken, run

TITLE = "subtitles"
SECONDS, MEMORY = 60.0, 1024
SIZE = 240_000

Content = Callable[[], bytes]


def cases(scale: Scale) -> list[Case]:
    found = [
        Case(f"{ending} {name}", partial(_try, scale.material, ending, content, number, MUST.get(name)))
        for number, (ending, name, content) in enumerate(_directed())
    ]
    found += [
        Case(
            f"{ending} of the film, damaged",
            partial(_try, scale.material, ending, partial(_damaged, scale, n), n, None),
        )
        for n, ending in enumerate(("vtt", "srt", "json", "txt") * (1 if scale.quick else 8))
    ]
    found += [
        Case(f"{ending} that is {name}", partial(_place, scale.material, ending, name)) for ending, name in PLACES
    ]
    return scale.some(found, 16)


def _cue(text: str, start: str = "00:01.000", end: str = "00:02.000") -> str:
    return f"{start} --> {end}\n{text}\n\n"


def _segments(*parts: object) -> bytes:
    return json.dumps({"segments": parts}).encode()


SAID = " ".join(material.SENTENCES * 2) + " "  # words enough for a recipe
# Whether it must be refused; all else may be, or not.
MUST = {"times of 1e308": True, "times that are not numbers": True, "binary": True, "well-formed": False}


def _directed() -> list[tuple[str, str, Content]]:
    """(ending, name, content)."""
    unclosed = ("<", "[", "(", "{\\", "<c", "[a", "(a", "{\\a", "&", "&#", "-->", "<<[[((", "♪")
    found: list[tuple[str, str, Content]] = []
    for mark in unclosed:
        for ending in ("vtt", "srt", "txt") if mark in unclosed[:4] else ("vtt",):
            found.append((ending, f"{mark!r} by the hundred thousand", partial(_unclosed, ending, mark)))
    found += [("json", f"{mark!r} by the hundred thousand", partial(_unclosed, "json", mark)) for mark in unclosed[:4]]

    def add(ending: str, name: str, content: str | bytes) -> None:
        data = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
        found.append((ending, name, lambda: data))

    good = "WEBVTT\n\n" + _cue(SAID) * 3
    add("vtt", "well-formed", good)
    add("json", "well-formed", _segments({"start": 0, "end": 9, "text": SAID * 3}))
    add("txt", "well-formed", SAID * 3)
    add("vtt", "times reversed", "WEBVTT\n\n" + _cue(SAID * 2, "00:09.000", "00:01.000"))
    add("vtt", "times far beyond the film", "WEBVTT\n\n" + _cue(SAID * 2, "999:59:59.999", "999:59:59.999"))
    add("vtt", "minutes and seconds above 60", "WEBVTT\n\n" + _cue(SAID * 2, "00:99.000", "99:99.999"))
    add("vtt", "negative times", "WEBVTT\n\n" + _cue(SAID * 2, "-00:01.000", "00:02.000"))
    add("vtt", "digits of another script", "WEBVTT\n\n" + _cue(SAID * 2, "٠٠:٠١.٠٠٠", "٠٠:٠٢.٠٠٠"))
    add("vtt", "superscript digits", "WEBVTT\n\n" + _cue(SAID * 2, "00:0¹.000", "00:0².000"))
    add("vtt", "header alone", "WEBVTT\n")
    add("vtt", "empty", "")
    add("vtt", "UTF-16", good.encode("utf-16"))
    add("vtt", "half surrogates", good + _cue("\ud800 boil"))
    add("vtt", "binary", generator("binary").bytes(50_000))
    add("vtt", "zeros", bytes(100_000))
    add("vtt", "control characters", "WEBVTT\n\n" + _cue("\x1b[31mboil\x07 the \x9b2Jpasta\x00 " + SAID) * 3)
    add("vtt", "old line ends", good.replace("\n", "\r"))
    add("vtt", "line separators", good.replace("\n", "\u2028"))
    add("srt", "numbers only", "".join(f"{n}\n\n" for n in range(50_000)))
    add("srt", "one word said 200,000 times", "1\n" + _cue("boil " * 200_000, "00:00:01,000", "00:00:02,000"))
    add("txt", "a word of a million letters", "a" * 1_000_000 + " " + SAID)
    add("txt", "combining marks", "a" + "\u0301" * 200_000 + " " + SAID)
    add("json", "times of 1e308", _segments({"start": 1e307, "end": 1e308, "text": SAID * 2}))
    add("json", "times too large for a float", '{"segments": [{"start": 1e999, "end": 1e999, "text": "boil"}]}')
    add("json", "times that are not numbers", '{"segments": [{"start": NaN, "end": NaN, "text": "boil"}]}')
    add("json", "negative times", _segments({"start": -5, "end": -1, "text": SAID * 2}))
    add("json", "times reversed", _segments({"start": 9, "end": 1, "text": SAID * 2}))
    add("json", "times as words", _segments({"start": "nan", "end": "inf", "text": SAID * 2}))
    add(
        "json", "times as huge whole numbers", '{"segments": [{"start": 0, "end": 1' + "0" * 299 + ', "text": "boil"}]}'
    )
    add("json", "wrong types", _segments(1, None, [], {"start": [], "end": {}, "text": 5}))
    add("json", "a list of nothing", "[]")
    add("json", "nested 200,000 deep", "[" * 200_000)
    add("json", "the same key twice", '{"segments": [], "segments": []}')
    add("json", "half surrogates", '{"segments": [{"start": 0, "end": 1, "text": "\\ud800 boil"}]}')
    add("jsonl", "of other films", json.dumps({"video_id": "other", "text": SAID}) + "\n")
    add("jsonl", "half a line", '{"video_id": "film", "te')
    add("jsonl", "wrong types", '{"video_id": 5, "segments": {"a": 1}}\n[]\n7\n')
    add("ass", "another kind", "[Script Info]\n")
    found += [
        ("vtt", "a million cues", lambda: b"WEBVTT\n\n" + b"00:01.000 --> 00:02.000\nboil the pasta\n\n" * 1_000_000),
        ("vtt", "two million cue lines without text", lambda: b"WEBVTT\n\n" + b"00:01.000 --> 00:02.000\n" * 2_000_000),
        ("srt", "a line of 20 million letters", lambda: b"1\n00:00:01,000 --> 00:00:02,000\n" + b"boil " * 4_000_000),
        ("txt", "ten million words", lambda: b"boil the pasta " * 3_300_000),
        (
            "json",
            "half a million segments",
            lambda: _segments(*[{"start": 1, "end": 2, "text": "boil it"}] * 500_000),
        ),
    ]
    return found


def _unclosed(ending: str, mark: str) -> bytes:
    text = mark * (SIZE // len(mark))
    if ending == "json":
        return _segments({"start": 0, "end": 5, "text": f"{text} {SAID}"})
    if ending == "txt":
        return f"{text} {SAID}".encode()
    return ("WEBVTT\n\n" + _cue(text) + _cue(SAID) * 3).encode()


def _damaged(scale: Scale, number: int) -> bytes:
    """The true subtitles with a few bytes changed."""
    random = generator("damaged subtitles", scale.seed, number)
    data = bytearray(material.subtitles(material.seconds(scale.material)).encode())
    for place in random.integers(0, len(data), int(random.integers(1, 40))):
        data[place] = int(random.integers(256))
    return bytes(data)


def _try(source: Path, ending: str, content: Content, number: int, must: bool | None, folder: Path) -> None:
    (folder / "film.mp4").write_bytes(material.film(source, "mp4").read_bytes())
    arguments = ["write", "film.mp4", "--formats", "json,vtt", "--out", "out"]
    beside = number % 2 == 0 and ending in {"vtt", "srt"}
    words = folder / (f"film.{ending}" if beside else f"words.{ending}")
    words.write_bytes(content())
    if not beside:
        arguments += ["--transcript", words.name]
    result = run(arguments, folder, seconds=SECONDS)
    tidy(folder, result)
    if must:
        refused(result, words.name, memory=MEMORY)
    elif not answered(result, memory=MEMORY):
        if must is False:
            raise Broken("good words are refused", result)
        left(folder / "out", (), result)
    else:
        left(folder / "out", None, result)
        recipe = read_strictly(folder / "out" / "film.recipe.json", result)
        length = material.seconds(source)
        if any(step["span"]["end"] > length + 0.6 for step in recipe["steps"]):
            raise Broken("a step ends after the film", result)


PLACES = (("vtt", "a pipe"), ("srt", "an endless device"), ("vtt", "200 MB"), ("json", "8 GB"), ("txt", "a folder"))


def _place(source: Path, ending: str, name: str, folder: Path) -> None:
    """What stands in the place of subtitles is no file, or one that is far too large."""
    import os

    (folder / "film.mp4").write_bytes(material.film(source, "mp4").read_bytes())
    words = folder / f"words.{ending}"
    if name == "a pipe":
        os.mkfifo(words)
    elif name == "an endless device":
        words.symlink_to("/dev/zero")
    elif name == "a folder":
        words.mkdir()
    elif name == "200 MB":
        words.write_bytes(b"WEBVTT\n\n" + b"00:01.000 --> 00:02.000\nboil the pasta in water now\n\n" * 3_800_000)
    else:
        with words.open("wb") as file:
            file.truncate(8 << 30)
    result = run(["write", "film.mp4", "--transcript", words.name, "--out", "out"], folder, seconds=SECONDS)
    refused(result, words.name, memory=MEMORY)
    tidy(folder, result)
