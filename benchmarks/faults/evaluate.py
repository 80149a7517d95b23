"""`evaluate` on files that are huge or hostile: an answer or a typed error within a minute and a gigabyte."""

from __future__ import annotations

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


def truth() -> dict[str, Any]:
    spans = [[10.0 * n, 10.0 * n + 8] for n in range(EVENTS)]
    annotations = [{"id": n, "segment": span, "sentence": f"stir the soup {n}"} for n, span in enumerate(spans)]
    video = {"duration": 100.0, "subset": "validation", "annotations": annotations, "recipe_type": "1", "video_url": ""}
    return {"database": {"soup": video}}


def predictions(count: int = EVENTS) -> dict[str, Any]:
    events = [{"sentence": "stir the soup", "timestamp": [n % 90, n % 90 + 5.0]} for n in range(count)]
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
    found = [Case(f"predictions: {name}", partial(_try, lambda t=text: t, lambda: good)) for name, text in _bad_events()]
    found += [Case(f"truth: {name}", partial(_try, lambda: json.dumps(predictions()), lambda t=t: t)) for name, t in TRUTHS]
    for number in range(4 if scale.quick else 40):
        found.append(Case(f"bytes changed {number}", partial(_try, partial(_changed, scale.seed, number), lambda: good)))
    few = scale.some(found, 10)
    many = [
        Case(f"{count:,} events in one video{'' if meteor else ', without METEOR'}", partial(_many, count, meteor))
        for count, meteor in ((1_000_000, False), (1_000_000, True), (20_000, False), (3_000, False))
    ]
    return [*few, *many[: 1 if scale.quick else None]]


TRUTHS = (
    ("a list", "[]"),
    ("no video", '{"database": {}}'),
    ("no events", '{"database": {"soup": {"duration": 10, "subset": "validation", "annotations": []}}}'),
    ("duration of 1e308", json.dumps(truth()).replace("100.0", "1e308")),
    ("duration of nothing", json.dumps(truth()).replace("100.0", "0")),
    ("duration negative", json.dumps(truth()).replace("100.0", "-5")),
    ("duration NaN", json.dumps(truth()).replace("100.0", "NaN")),
    ("segment of words", json.dumps(truth()).replace("[10.0, 18.0]", '["a", "b"]')),
    ("segment reversed", json.dumps(truth()).replace("[10.0, 18.0]", "[18.0, 10.0]")),
    ("sentence of half a pair", json.dumps(truth()).replace("stir the soup 1", "\\ud800")),
    ("nested deeply", '{"database":' * 100_000),
)


def _changed(seed: int, number: int) -> str:
    random = generator("predictions", seed, number)
    data = bytearray(json.dumps(predictions()).encode())
    for place in random.integers(0, len(data), int(random.integers(1, 6))):
        data[place] = int(random.integers(256))
    return data.decode("latin-1")


def _try(given: Callable[[], str], true: Callable[[], str], folder: Path) -> None:
    _score(folder, given(), true(), meteor=False)


def _many(count: int, meteor: bool, folder: Path) -> None:
    _score(folder, json.dumps(predictions(count)), json.dumps(truth()), meteor)


def _score(folder: Path, given: str, true: str, meteor: bool) -> None:
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
