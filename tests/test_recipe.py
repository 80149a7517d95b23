"""The document: what is valid, what is not, and the way to a file and back."""

import copy
import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cookscribe.candidates import tiou_matrix
from cookscribe.errors import BadFileError, BadValueError, CookscribeError, MissingFileError
from cookscribe.recipe import Amount, Recipe, Span
from cookscribe.text.printable import one_line, printable
from tests.export.documents import recipes, spans

words = st.text(st.characters(codec="utf-8"), min_size=1, max_size=20).filter(one_line)
file_names = words.filter(lambda text: printable(text).strip() not in ("", ".", "..") and not set(text) & set("/\\"))


@given(recipes() | recipes(words, words, file_names))
@settings(max_examples=60)
def test_round_trip_through_a_file(tmp_path_factory: pytest.TempPathFactory, recipe: Recipe) -> None:
    path = tmp_path_factory.mktemp("recipe") / "recipe.json"
    recipe.save(path)
    assert Recipe.load(path) == recipe
    assert json.loads(path.read_text(encoding="utf-8"))["schema_version"] == 2


@given(spans, spans)
def test_tiou_is_the_same_as_for_arrays(left: Span, right: Span) -> None:
    matrix = tiou_matrix([[left.start, left.end]], [[right.start, right.end]])  # type: ignore[arg-type]
    assert left.tiou(right) == right.tiou(left) == pytest.approx(matrix[0, 0])
    assert 0 <= left.tiou(right) <= 1


def test_known_tiou() -> None:
    assert Span(start=0, end=10).tiou(Span(start=5, end=15)) == pytest.approx(1 / 3)
    assert Span(start=0, end=10).tiou(Span(start=10, end=15)) == 0
    assert Span(start=4, end=4).tiou(Span(start=4, end=4)) == 0
    assert Span(start=2, end=7).length == 5


def test_nothing_can_be_changed() -> None:
    span = Span(start=1, end=2)
    with pytest.raises(Exception, match="frozen"):
        span.start = 0  # type: ignore[misc]


VALID: dict[str, Any] = {
    "title": "Tea",
    "ingredients": ["tea", "water"],
    "steps": [
        {"span": {"start": 1.0, "end": 5.0}, "sentence": "boil the water"},
        {"span": {"start": 4.0, "end": 9.0}, "sentence": "pour it over the tea", "picture": 8.0},
    ],
    "video": {"name": "tea.mp4", "duration": 10.0},
    "evidence": {"candidates": [], "steps": [{}, {}]},
}


def changed(path: tuple[str | int, ...], value: Any) -> dict[str, Any]:
    result = copy.deepcopy(VALID)
    place: Any = result
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return result


WRONG: list[tuple[tuple[str | int, ...], Any, str]] = [
    (("title",), "", "title"),
    (("title",), "  \n", "title"),
    (("steps", 0, "sentence"), " ", r"steps\.0\.sentence"),
    (("steps", 0, "span", "start"), -1.0, r"steps\.0\.span\.start"),
    (("steps", 0, "span", "end"), 0.5, "before the start"),
    (("steps", 0, "span", "start"), float("nan"), r"steps\.0\.span\.start"),
    (("steps", 0, "span", "end"), float("inf"), r"steps\.0\.span\.end"),
    (("steps", 0, "span", "start"), 4.5, "not in order"),
    (("steps", 1, "span", "end"), 10.2, "step 2 ends at 10.2 s, after the video"),
    (("steps", 1, "picture"), 11.0, "picture of step 2"),
    (("steps", 0, "confidence"), 1.1, "confidence"),
    (("steps", 0, "colour"), "red", "colour"),
    (("steps",), None, "steps"),
    (("video", "duration"), -3.0, "duration"),
    (("video", "width"), 0, "width"),
    (("evidence", "steps"), [{}], "evidence for 1 steps, but 2"),
    (("schema_version",), 0, "schema_version"),
    (("ingredients",), "tea", "ingredients"),
    (("title",), "\x1b[31m\x07\u202e", "title"),
    (("title",), "a" * 10_000, "title"),
    (("steps", 0, "sentence"), "boil " * 200_000, r"steps\.0\.sentence"),
    (("steps",), [VALID["steps"][0]] * 20_000, "steps"),
    (("ingredients",), ["tea"] * 20_000, "ingredients"),
    (("steps", 0, "ingredients"), [3], r"steps\.0\.ingredients"),
    (("steps", 0, "span"), [1, 2], r"steps\.0\.span"),
    (("video", "duration"), 1e308, r"video\.duration"),
    (("video", "duration"), 10**300, r"video\.duration"),
    (("video", "width"), 10**100, r"video\.width"),
    (("evidence", "steps", 0), {"change": [1e308]}, r"change\.0"),
    (("evidence", "candidates"), [{"span": {"start": 0, "end": 1}, "score": 0.5}] * 10_000, "candidates"),
    (("amounts",), [{"quantity": "2"}], r"amounts\.0\.ingredient"),
    (("amounts",), [{"ingredient": "tea", "quantity": "2" * 99}], r"amounts\.0\.quantity"),
    (("amounts",), [{"ingredient": "tea"}] * 500, "amounts"),
    (("servings",), {"people": 0}, r"servings\.people"),
    (("total_time",), {"seconds": -1.0}, r"total_time\.seconds"),
    (("steps", 0, "timers"), [{"seconds": 60}] * 100, r"steps\.0\.timers"),
    (("steps", 0, "temperatures"), [{"degrees": 180, "scale": "K"}], r"temperatures\.0\.scale"),
    (("evidence", "cues"), [{"span": {"start": 0, "end": 1}, "source": "smelt", "text": "tea"}], r"cues\.0\.source"),
    (("evidence", "cues"), [{"span": {"start": 0, "end": 1}, "source": "seen", "text": "tea"}] * 9999, "cues"),
    (("video", "name"), "", r"video\.name"),
    (("video", "name"), "..", r"video\.name"),
    (("video", "name"), "../tea.mp4", r"video\.name"),
    (("video", "name"), "/etc/passwd", r"video\.name"),
    (("video", "name"), "a\\tea.mp4", r"video\.name"),
    (("video", "url"), "javascript:alert(1)", r"video\.url"),
    (("video", "url"), "file:///etc/passwd", r"video\.url"),
    (("video", "url"), "https:///tea", r"video\.url"),
    (("video", "url"), "tea.mp4", r"video\.url"),
    (("video", "url"), "https://me:secret@example.org/tea", r"video\.url"),
    (("video", "url"), "https://example.org/tea\x1b[31m", r"video\.url"),
    (("video", "url"), "https://example.org\\@evil.org", r"video\.url"),
    (("video", "url"), 'https://example.org/"><b>', r"video\.url"),
    (("video", "url"), "http://[1", r"video\.url"),
    (("video", "url"), "http://example.org:99999999/", r"video\.url"),
]


def test_the_valid_one_is_valid() -> None:
    assert len(Recipe(**VALID).steps) == 2
    assert Recipe(**changed(("steps", 1, "span", "end"), 10.05)).steps[1].span.end == 10.05


@pytest.mark.parametrize(("path", "value", "message"), WRONG, ids=[f"{n}-{wrong[2]}" for n, wrong in enumerate(WRONG)])
def test_what_is_wrong_is_named(tmp_path: Path, path: tuple[str | int, ...], value: Any, message: str) -> None:
    data = changed(path, value)
    with pytest.raises(BadValueError, match=message):
        Recipe(**data)
    with pytest.raises(BadValueError, match=message):
        Recipe.parse(data)
    file = tmp_path / "recipe.json"
    file.write_text(json.dumps(data))
    with pytest.raises(BadFileError) as caught:
        Recipe.load(file)
    assert "recipe.json" in str(caught.value)


def test_texts_are_shown_as_they_are_meant_and_obeyed_by_no_terminal(tmp_path: Path) -> None:
    data = changed(("title",), "\x1b]0;x\x07Green \u202eTea\n\x9b2J")
    data["ingredients"] = ["tea\x00leaves", "wat\x1b[1mer"]
    data["warnings"] = ["late\r\nword\x07"]
    data["video"]["name"] = "my  \x1b[31mtea.mp4"
    data["video"]["url"] = "https://example.org:8080/tea?v=1#t=3"
    file = tmp_path / "recipe.json"
    file.write_text(json.dumps(data))
    recipe = Recipe.load(file)
    assert recipe.title == "Green Tea"
    assert recipe.ingredients == ("tea leaves", "water")
    assert recipe.warnings == ("late word",)
    assert recipe.video.name == "my  tea.mp4"
    assert recipe.video.url == data["video"]["url"]


def test_pipes_and_films_are_no_recipes(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.json")
    with pytest.raises(BadFileError, match="device or a pipe"):
        Recipe.load(tmp_path / "pipe.json")
    with (tmp_path / "large.json").open("wb") as file:
        file.truncate(10**12)
    with pytest.raises(BadFileError, match="too large"):
        Recipe.load(tmp_path / "large.json")


def test_a_file_of_the_first_schema_is_read_and_becomes_one_of_today(tmp_path: Path) -> None:
    file = tmp_path / "recipe.json"
    file.write_text(json.dumps(changed(("schema_version",), 1)))
    recipe = Recipe.load(file)
    assert recipe == Recipe(**VALID)
    recipe.save(file)
    assert json.loads(file.read_text())["schema_version"] == 2
    assert Recipe.load(file) == recipe


def test_an_amount_reads_as_in_a_list() -> None:
    assert Amount(ingredient="soy sauce", quantity="2", unit="tbsp").line == "2 tbsp soy sauce"
    assert Amount(ingredient="flour", quantity="1 1/2", unit="cup").line == "1 1/2 cups flour"
    assert Amount(ingredient="eggs", quantity="3").line == "3 eggs"
    assert Amount(ingredient="salt").line == "salt"


def test_a_newer_schema_asks_for_an_update(tmp_path: Path) -> None:
    file = tmp_path / "recipe.json"
    file.write_text(json.dumps(changed(("schema_version",), 3)))
    with pytest.raises(BadFileError, match="newer"):
        Recipe.load(file)


def test_no_recipe_at_all(tmp_path: Path) -> None:
    file = tmp_path / "recipe.json"
    with pytest.raises(MissingFileError):
        Recipe.load(file)
    for content in ("", "[]", "3", '"recipe"', "{", "{}"):
        file.write_text(content)
        with pytest.raises(BadFileError, match=r"recipe\.json"):
            Recipe.load(file)


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)
places = st.sampled_from([path for path, _, _ in WRONG])


@given(places, anything)
@settings(max_examples=150)
def test_any_value_anywhere_is_accepted_or_a_typed_error(path: tuple[str | int, ...], value: Any) -> None:
    try:
        recipe = Recipe(**changed(path, value))
    except CookscribeError as error:
        kind = type(error)
    else:
        kind = type(recipe)  # type: ignore[assignment]
    assert kind in (BadValueError, Recipe)
