"""Recipes that somebody edited: every format is written, or one line says what is wrong."""

import json
import re
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from cookscribe.errors import BadFileError
from cookscribe.export.writers import FORMATS
from cookscribe.recipe import MOST_STEPS, Recipe
from tests.command import run_command

from .documents import soup

TEXTS = ",".join(name for name in FORMATS if name != "mp4")
NASTY = (
    '\x1b]0;owned\x07\x1b[2J\u202e<img src=x onerror=alert(1)></script>\x9b31m & "quotes" `ls` --> @a{} \ud83c\udf72'
)


def edited(**changes: Any) -> dict[str, Any]:
    data = soup().model_dump(mode="json")
    for place, value in changes.items():
        *path, last = place.split("__")
        target: Any = data
        for key in path:
            target = target[int(key) if key.isdigit() else key]
        target[int(last) if last.isdigit() else last] = value
    return data


def write(path: Path, data: Any) -> Path:
    path.write_text(json.dumps(data))
    return path


def test_no_format_lets_codes_or_markup_through(tmp_path: Path) -> None:
    data = edited(
        title=NASTY,
        ingredients=[NASTY, "onion"],
        steps__0__sentence=NASTY,
        steps__1__ingredients=[NASTY],
        warnings=[NASTY],
        made_by__model=NASTY,
        video__name=NASTY.replace("/", ""),
        evidence__candidates__0__caption=NASTY,
        evidence__steps__0__actions__0__name=NASTY,
    )
    data["evidence"]["steps"] = [step | {"change": [0.1, 0.2]} for step in data["evidence"]["steps"]]
    path = write(tmp_path / "soup.recipe.json", data)
    run_command("export", path, "--formats", TEXTS, "--out", tmp_path / "out")
    written = sorted((tmp_path / "out").iterdir())
    assert len(written) == len(FORMATS) - 1
    for file in written:
        kinds = {unicodedata.category(c) for c in file.read_text(encoding="utf-8") if c not in "\n\u200d"}
        assert not kinds & {"Cc", "Cf", "Cs"}, file.name
    page = (tmp_path / "out" / "soup.html").read_text()
    assert "<img src=x" not in page
    assert json.loads((tmp_path / "out" / "soup.jsonld").read_text())["name"].startswith("<img src=x")


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"title": ["soup"]}, "title"),
    ({"steps": {"0": "boil"}}, "steps"),
    ({"steps__2__span": None}, "steps.2.span"),
    ({"steps__2__span__end": 1e308}, "steps.2.span.end"),
    ({"steps__1__sentence": "boil " * 300_000}, "steps.1.sentence"),
    ({"steps__1__sentence": 7}, "steps.1.sentence"),
    ({"video__url": "javascript:alert(1)"}, "video.url"),
    ({"video__name": "../../soup.mp4"}, "video.name"),
    ({"video": []}, "video"),
    ({"ingredients": {"a": 1}}, "ingredients"),
    ({"evidence__candidates__1__score": float("nan")}, "NaN"),
    ({"schema_version": "1"}, "schema_version"),
]


@pytest.mark.parametrize(("changes", "place"), WRONG, ids=[place for _, place in WRONG])
def test_what_is_wrong_is_named_and_nothing_is_written(tmp_path: Path, changes: dict[str, Any], place: str) -> None:
    path = write(tmp_path / "soup.recipe.json", edited(**changes))
    with pytest.raises(BadFileError, match=re.escape(place)) as caught:
        run_command("export", path, "--formats", TEXTS, "--out", tmp_path / "out")
    assert len(str(caught.value)) < 2000
    assert not (tmp_path / "out").exists()


def test_as_many_steps_as_there_may_be(tmp_path: Path) -> None:
    step = edited()["steps"][0] | {"sentence": "chop for 5 minutes " * 20}
    names = [f"spice {number}" for number in range(100)]
    data = edited(steps=[step | {"ingredients": names[: 5 + n % 5]} for n in range(MOST_STEPS)], ingredients=names)
    data["evidence"] = {"candidates": [{"span": step["span"], "score": 0.5}] * MOST_STEPS}
    path = write(tmp_path / "soup.recipe.json", data)
    run_command("export", path, "--formats", TEXTS)
    assert len(Recipe.load(tmp_path / "soup.recipe.json").steps) == MOST_STEPS
    data["steps"].append(step)
    with pytest.raises(BadFileError, match="at most 1000 items"):
        Recipe.load(write(path, data))
