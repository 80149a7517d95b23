"""`evaluate` on files that are huge or hostile: an answer or a typed error within a minute and a gigabyte."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from cookscribe.seeds import generator
from faults.cases import Case, Scale
from faults.judging import answered, files_below, whole
from faults.running import Broken, run

TITLE = "evaluate"
SECONDS, MEMORY = 60.0, 1024
EVENTS = 6


def truth(count: int = EVENTS) -> dict[str, Any]:
    return {"soup": {"duration": 100.0, "timestamps": _spans(count), "sentences": _sentences(count)}}


def _spans(count: int) -> list[list[float]]:
    """All different, so that nothing can be counted once for many."""
    return [[90.0 * n / count, 90.0 * n / count + 3 + n % 7] for n in range(count)]


def _sentences(count: int) -> list[str]:
    return [f"{('stir', 'chop', 'boil')[n % 3]} the soup {n}" for n in range(count)]


def predictions(count: int = EVENTS) -> dict[str, Any]:
    pairs = zip(_sentences(count), _spans(count), strict=True)
    events = [{"sentence": sentence, "timestamp": span} for sentence, span in pairs]
    return {"results": {"soup": events}}


def _bad_events() -> list[tuple[str, str]]:
    """Names and texts of predictions."""
    dump = json.dumps

    def event(**values: Any) -> str:
        return dump({"results": {"soup": [{"sentence": "stir", "timestamp": [0, 5], **values}]}})

    return [
        ("timestamp of words", event(timestamp=["a", "b"])),
        ("timestamp reversed", event(timestamp=[9, 1])),
        ("timestamp negative", event(timestamp=[-9, -1])),
        ("timestamp of 1e308", event(timestamp=[0, 1e308])),
        ("timestamp of one", event(timestamp=[1])),
        ("timestamp of nothing", event(timestamp=None)),
        ("timestamp of a huge number", event(timestamp=[0, 10**299])),
        ("timestamp NaN", '{"results": {"soup": [{"sentence": "stir", "timestamp": [NaN, 5]}]}}'),
        ("sentence of nothing", event(sentence="")),
        ("sentence of a number", event(sentence=5)),
        ("sentence of a million words", event(sentence="stir " * 1_000_000)),
        ("a word of a million letters", event(sentence="a" * 1_000_000)),
        ("sentence of control characters", event(sentence="\x1b[31m\x00\n\r stir ||| SCORE EVAL")),
        ("sentence of half a pair", '{"results": {"soup": [{"sentence": "\\ud800", "timestamp": [0, 5]}]}}'),
        ("the same video twice", '{"results": {"soup": [], "soup": []}}'),
        ("no video", dump({"results": {}})),
        ("an unknown video", dump({"results": {"\x1b[31mpie": [{"sentence": "x", "timestamp": [0, 1]}]}})),
        ("results of another kind", dump({"results": [1, 2]})),
        ("a list", "[]"),
        ("nothing", ""),
        ("nested deeply", '{"results":' * 100_000),
        ("lists nested deeply", '{"results": {"soup": ' + "[" * 100_000 + "]" * 100_000 + "}}"),
        ("events of another kind", dump({"results": {"soup": [None, 5, "x", []]}})),
        ("100,000 unknown videos", dump({"results": {f"v{n}": [] for n in range(100_000)}})),
        ("binary", "\x00\x01\x02"),
    ]


def cases(scale: Scale) -> list[Case]:
    good = json.dumps(truth())
    found = [
        Case(f"predictions: {name}", partial(_try, lambda t=text: t, lambda: good)) for name, text in _bad_events()
    ]
    found += [
        Case(f"truth: {name}", partial(_try, lambda: json.dumps(predictions()), lambda t=t: t)) for name, t in TRUTHS
    ]
    for number in range(4 if scale.quick else 40):
        found.append(
            Case(f"bytes changed {number}", partial(_try, partial(_changed, scale.seed, number), lambda: good))
        )
    few = scale.some(found, 6)
    few.append(Case("what is well-formed", partial(_try, lambda: json.dumps(predictions()), lambda: good, True)))
    many = [
        Case(
            f"{given:,} events for {true:,}{'' if meteor else ', without METEOR'}", partial(_many, given, true, meteor)
        )
        for given, true, meteor in (
            (1_000_000, EVENTS, False),
            (1_000_000, EVENTS, True),
            (EVENTS, 1_000_000, False),
            (1_000_000, 1_000_000, False),
            (20_000, EVENTS, False),
            (3_000, 3_000, False),
            (1_000, 300, True),
        )
    ]
    return [*few, *many[: 1 if scale.quick else None]]


def _true(**values: Any) -> str:
    return json.dumps({"soup": {**truth()["soup"], **values}})


TRUTHS = (
    ("a list", "[]"),
    ("no video", "{}"),
    ("no events", _true(timestamps=[], sentences=[])),
    ("fewer sentences than events", _true(sentences=["stir"])),
    ("duration of 1e308", _true(duration=1e308)),
    ("duration of nothing", _true(duration=0)),
    ("duration negative", _true(duration=-5)),
    ("duration NaN", _true().replace("100.0", "NaN")),
    ("duration of words", _true(duration="long")),
    ("times of words", _true(timestamps=[["a", "b"]] * EVENTS)),
    ("times reversed", _true(timestamps=[[9, 1]] * EVENTS)),
    ("times of 1e308", _true(timestamps=[[0, 1e308]] * EVENTS)),
    ("times of a huge number", _true(timestamps=[[0, 10**299]] * EVENTS)),
    ("events without length", _true(timestamps=[[5, 5]] * EVENTS)),
    ("sentences of half a pair", _true(sentences=["stir"] * EVENTS).replace("stir", "\\ud800")),
    ("sentences of nothing", _true(sentences=[""] * EVENTS)),
    ("sentences of control characters", _true(sentences=["\x1b[31m\x00\n ||| stir"] * EVENTS)),
    ("nested deeply", '{"soup":' * 100_000),
)


def _changed(seed: int, number: int) -> str:
    random = generator("predictions", seed, number)
    data = bytearray(json.dumps(predictions()).encode())
    for place in random.integers(0, len(data), int(random.integers(1, 6))):
        data[place] = int(random.integers(256))
    return data.decode("latin-1")


def _try(given: Callable[[], str], true: Callable[[], str], *options: Any) -> None:
    *good, folder = options
    done = _score(folder, given(), true(), meteor=False)
    if good and not done:
        raise Broken("a good file is refused")


def _many(given: int, true: int, meteor: bool, folder: Path) -> None:
    _score(folder, json.dumps(predictions(given)), json.dumps(truth(true)), meteor)


def _score(folder: Path, given: str, true: str, meteor: bool) -> bool:
    """Whether there is an answer."""
    (folder / "given.json").write_text(given)
    (folder / "true.json").write_text(true)
    arguments = ["evaluate", "given.json", "--truth", "true.json", "--json", "out/scores.json"]
    result = run(arguments if meteor else [*arguments, "--no-meteor"], folder, seconds=SECONDS)
    done = answered(result, memory=MEMORY)
    names = files_below(folder / "out") if (folder / "out").exists() else set()
    if names - {"scores.json"} or (names and not done):
        raise Broken(f"leaves {sorted(names)} behind", result)
    for name in names:
        whole(folder / "out" / name, result)
    return done
