"""Edited recipes through `export` in every format: files that are whole and safe, or a typed error naming the field."""

import copy
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from cookscribe.seeds import generator
from faults import material
from faults.cases import Case, Scale
from faults.judging import answered, files_below, left, printable, read_strictly, refused
from faults.running import Broken, Result, run

TITLE = "edited recipes"
FORMATS = "json,md,html,vtt,srt,ffmetadata,youtube,jsonld,cooklang,researcher"
MARK = "qzx7"
SCRIPT = f"<script>alert('{MARK}')</script><img src=x onerror={MARK}()>"
NUMBERS: tuple[Any, ...] = (None, True, -1, 0, 1, 10**18, 10**299, -1e308, 1e308, 0.1)
TEXTS: tuple[Any, ...] = ("", " ", "nan", "\x1b[31m" + MARK, "\x00", "a\nb\r\nc", "\u2028", "\u202egnp.exe", "ÿ" * 300)
CODE: tuple[Any, ...] = (SCRIPT, "</script><script>" + MARK, "]]>--><!--", "-->", "{{7*7}}", "javascript:" + MARK)
PLACES: tuple[Any, ...] = ("../../" + MARK, "/etc/" + MARK, "http://127.0.0.1:9/" + MARK, "a" * 100_000)
SHAPES: tuple[Any, ...] = ([], {}, [[]], {"a": 1}, ["x"] * 1000, [None])
NASTY = NUMBERS + TEXTS + CODE + PLACES + SHAPES


def cases(scale: Scale) -> list[Case]:
    original = json.loads(material.recipe(scale.material).read_text())
    found = [Case(name, partial(_try, scale.material, change(original), must)) for name, change, must in DIRECTED]
    found += [Case(name, partial(_try, scale.material, text, True)) for name, text in RAW]
    for number in range(30 if scale.quick else 160):
        document, name = _changed(original, scale.seed, number)
        found.append(Case(name, partial(_try, scale.material, json.dumps(document), False)))
    return scale.some(found, 20)


def _changed(original: dict[str, Any], seed: int, number: int) -> tuple[dict[str, Any], str]:
    """One or two values, somewhere in the document, replaced or taken out."""
    random = generator("edited recipe", seed, number)
    document = copy.deepcopy(original)
    names = []
    for _ in range(int(random.integers(1, 3))):
        places = list(_places(document, ()))
        place = places[int(random.integers(len(places)))]
        inside: Any = document
        for key in place[:-1]:
            inside = inside[key]
        if random.random() < 0.15:
            del inside[place[-1]]
            names.append(f"without {'.'.join(map(str, place))}")
        else:
            value = NASTY[int(random.integers(len(NASTY)))]
            inside[place[-1]] = value
            names.append(f"{'.'.join(map(str, place))} = {ascii(value)[:30]}")
    return document, "; ".join(names)


def _places(value: Any, path: tuple[Any, ...]) -> Any:
    """Paths to all values; of long lists the first two."""
    inside = value.items() if isinstance(value, dict) else enumerate(value[:2]) if isinstance(value, list) else ()
    for key, part in inside:
        yield (*path, key)
        yield from _places(part, (*path, key))


def _with(**values: Any) -> Callable[[dict[str, Any]], str]:
    return lambda original: json.dumps({**original, **values})


def _with_video(**values: Any) -> Callable[[dict[str, Any]], str]:
    return lambda original: json.dumps({**original, "video": {**original["video"], **values}})


def _steps(count: int, sentence: str = "stir the soup") -> Callable[[dict[str, Any]], str]:
    """Many steps, as few of which overlap as can be."""

    def change(original: dict[str, Any]) -> str:
        steps = [{"span": {"start": n * 2.0, "end": n * 2.0 + 1}, "sentence": f"{sentence} {n}"} for n in range(count)]
        video = {**original["video"], "duration": count * 2.0 + 1}
        return json.dumps({**original, "steps": steps, "video": video, "evidence": None})

    return change


# Name, the change, and whether it must be refused; None where it must be taken.
DIRECTED: tuple[tuple[str, Callable[[dict[str, Any]], str], bool | None], ...] = (
    ("nothing changed", _with(), None),
    ("script in the title", _with(title=SCRIPT), False),
    ("script in the ingredients", _with(ingredients=[SCRIPT, "salt"]), False),
    ("script in the warnings", _with(warnings=[SCRIPT]), False),
    ("escape codes in the title", _with(title=f"\x1b]0;{MARK}\x07soup"), False),
    ("title of 200,000 letters", _with(title="soup " * 40_000), False),
    ("address that runs a script", _with_video(url=f"javascript:alert('{MARK}')"), True),
    ("address that is data", _with_video(url=f"data:text/html,<script>{MARK}</script>"), True),
    ("address of a file", _with_video(url="file:///etc/passwd"), True),
    ("video in a folder above", _with_video(name="../../soup.mp4"), True),
    ("video by its full path", _with_video(name="/etc/passwd"), True),
    ("video with a backslash", _with_video(name="..\\soup.mp4"), False),
    ("script in the name of the video", _with_video(name=f"{MARK}'\"><script>{MARK}<.mp4".replace("/", "")), False),
    ("duration of 1e308 seconds", _with_video(duration=1e308), False),
    ("size of 10^18 pixels", _with_video(width=10**18, height=10**18), False),
    ("100,000 steps", _steps(100_000), False),
    ("1,000 steps of scripts", _steps(1_000, SCRIPT), False),
    ("no steps", _steps(0), False),
    ("a newer schema", _with(schema_version=3), True),
    ("a schema of another kind", _with(schema_version=[1]), True),
    ("unknown fields", _with(surprise={"a": [SCRIPT]}), False),
)
RAW = (
    ("empty file", ""),
    ("a list", "[]"),
    ("a number", "5"),
    ("nothing", "null"),
    ("NaN", '{"title": NaN}'),
    ("half a document", '{"title": "so'),
    ("the same key twice", '{"title": "a", "title": "b"}'),
    ("nested 200,000 deep", "[" * 200_000 + "]" * 200_000),
    ("objects nested 200,000 deep", '{"a":' * 200_000),
    ("a number of a million digits", "1" * 1_000_000),
    ("zeros", "\0" * 1000),
)


def _try(source: Path, text: str, must: bool | None, folder: Path) -> None:
    path = folder / "soup.recipe.json"
    path.write_text(text)
    arguments = ["export", path.name, "--formats", FORMATS, "--out", "out"]
    # Pictures and chapters need the film.
    if len(text) % 3 == 0 and len(text) < 100_000:
        arguments[3] += ",mp4"
        arguments += ["--video", str(source / "told.mp4")]
    result = run(arguments, folder)
    if must:
        refused(result, path.name)
        left(folder / "out", (), result)
        return
    done = answered(result)
    if must is None and not done:
        raise Broken("a good recipe is refused", result)
    left(folder / "out", None if done else (), result)
    for name in files_below(folder / "out"):
        _safe(folder / "out" / name, result)
    strange = {name for name in files_below(folder) if not name.startswith((".", "out/", path.name))}
    if strange or any(MARK in name for name in files_below(folder)):
        raise Broken(f"writes {sorted(strange)} outside its folder", result)


def _safe(path: Path, result: Result) -> None:
    """Check that what stands in a recipe stays text in the file."""
    if path.suffix in {".jpg", ".mp4"}:
        return
    if path.suffix in {".json", ".jsonld"}:
        read_strictly(path, result)
        return
    text = path.read_text(encoding="utf-8")
    printable(text, path.name, result, allowed="\n\t")
    if path.suffix == ".html":
        for raw in (
            f"<script>alert('{MARK}",
            f"<img src=x onerror={MARK}",
            f"<script>{MARK}",
            f'href="javascript:{MARK}',
        ):
            if raw in text:
                raise Broken(f"the page runs what the recipe says: {raw}", result)
