"""Prediction and truth files: good ones are read, bad ones give a typed error that names the place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cookscribe.errors import BadFileError, InputError, MissingFileError
from cookscribe.evaluation import evaluate, read_ingredients, read_predictions, read_truth


def written(folder: Path, content: Any) -> Path:
    path = folder / "file.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def predicting(timestamp: Any = (0, 1), sentence: Any = "stir") -> dict[str, Any]:
    return {"results": {"v_a": [{"timestamp": timestamp, "sentence": sentence}]}}


def test_good_files(tmp_path: Path) -> None:
    predictions = read_predictions(written(tmp_path, predicting([1, 2.5]) | {"version": "1", "external_data": {}}))
    assert predictions["v_a"].spans.tolist() == [[1.0, 2.5]]
    truth = read_truth(written(tmp_path, {"v_a": {"duration": 9, "timestamps": [[1, 2]], "sentences": ["stir"]}}))
    assert truth["v_a"].sentences == ("stir",)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "not JSON"),
        ("{", "not JSON"),
        ("[]", "no `results`"),
        ({}, "no `results`"),
        ({"results": []}, "no `results`"),
        ({"results": {"v_a": {}}}, "v_a is not a list"),
        ({"results": {"v_a": [[]]}}, "v_a, event 0: no `timestamp`"),
        ({"results": {"v_a": [{"sentence": "x"}]}}, "no `timestamp`"),
        ({"results": {" ": []}}, "without an id"),
        ({"results": {"\ud800": []}}, "without an id|surrogate"),
        (predicting([2, 1]), "reversed"),
        (predicting([-1, 1]), "negative"),
        (predicting([1]), "not .start, end."),
        (predicting([1, 2, 3]), "not .start, end."),
        (predicting(["0", 1]), "not .start, end."),
        (predicting([True, 2]), "not .start, end."),
        (predicting(None), "not .start, end."),
        (predicting([0, 10**400]), "not finite|too large|digits"),
        (predicting(sentence=None), "not text"),
        (predicting(sentence=["x"]), "not text"),
        ('{"results": {"v_a": [{"timestamp": [0, NaN], "sentence": "x"}]}}', "NaN"),
        ('{"results": {"v_a": [{"timestamp": [0, Infinity], "sentence": "x"}]}}', "Infinity"),
        ('{"results": {"v_a": [{"timestamp": [0, 1e999], "sentence": "x"}]}}', "not finite|too large|digits"),
        ('{"results": {"v_a": [], "v_a": []}}', "twice"),
        ('{"results": ' + "[" * 100_000, "nested|JSON"),
        ('{"results": {"v_a": [{"timestamp": [0, ' + "9" * 5000 + '], "sentence": "x"}]}}', "file.json"),
    ],
)
def test_bad_predictions(tmp_path: Path, content: Any, says: str) -> None:
    with pytest.raises(BadFileError, match=says):
        read_predictions(written(tmp_path, content))


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ([], "not an object"),
        ({}, "not an object"),
        ({"v_a": []}, "v_a has no lists"),
        ({"v_a": {"timestamps": [[0, 1]]}}, "v_a has no lists"),
        ({"v_a": {"timestamps": [[0, 1]], "sentences": []}}, "1 spans but 0 sentences"),
        ({"v_a": {"timestamps": [[3, 1]], "sentences": ["x"]}}, "v_a, event 0"),
        ({"v_a": {"timestamps": [[0, 1]], "sentences": [5]}}, "not text"),
    ],
)
def test_bad_truth(tmp_path: Path, content: Any, says: str) -> None:
    with pytest.raises(BadFileError, match=says):
        read_truth(written(tmp_path, content))


def test_missing_and_binary_files(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError):
        read_truth(tmp_path / "nothing.json")
    (tmp_path / "file.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadFileError, match="UTF-8"):
        read_predictions(tmp_path / "file.json")
    with pytest.raises(BadFileError, match="folder"):
        read_predictions(tmp_path)


@pytest.mark.parametrize(
    "content",
    [
        {"v_a": ["salt"], "v_b": []},
        {"a": {"ingredients": ["salt"]}, "b": {"ingredients": []}},
        {"database": {"a": {"ingredients": ["salt"], "duration": 3}, "b": {"ingredients": []}}},
    ],
)
def test_ingredient_lists(tmp_path: Path, content: Any) -> None:
    assert read_ingredients(written(tmp_path, content)) == {"a": ("salt",), "b": ()}


@pytest.mark.parametrize("content", [[], {}, {"a": "salt"}, {"a": [1]}, {"a": {}}, {"database": {"a": 3}}])
def test_bad_ingredient_lists(tmp_path: Path, content: Any) -> None:
    with pytest.raises(BadFileError):
        read_ingredients(written(tmp_path, content))


NUMBERS = st.one_of(st.integers(-5, 60), st.floats(), st.just(10**400), st.booleans(), st.none(), st.text(max_size=3))
ANYTHING = st.recursive(
    st.one_of(NUMBERS, st.text(max_size=8)),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
EVENT = st.fixed_dictionaries(
    {"timestamp": st.lists(NUMBERS, min_size=2, max_size=2) | ANYTHING, "sentence": st.text(max_size=20) | ANYTHING}
)
GOOD_EVENT = st.builds(
    lambda start, length, text: {"timestamp": [start, start + length], "sentence": text},
    st.floats(0, 50),
    st.floats(0, 50),
    st.text(max_size=25),
)
IDS = st.sampled_from(["v_a", "v_b", "v_c", "a", "", "v_", "v_unknown"])
RESULTS = st.dictionaries(IDS, st.lists(GOOD_EVENT, max_size=4) | st.lists(EVENT, max_size=3) | ANYTHING, max_size=4)


@given(content=st.fixed_dictionaries({"results": RESULTS}) | ANYTHING)
@settings(max_examples=150, deadline=None)
def test_any_file_is_scored_or_refused(tmp_path_factory: pytest.TempPathFactory, content: Any) -> None:
    path = tmp_path_factory.mktemp("fuzz") / "file.json"
    path.write_text(json.dumps(content))
    truth = {
        "v_a": {"duration": 60, "timestamps": [[0, 10], [10, 30]], "sentences": ["stir", "add salt to it"]},
        "v_b": {"duration": 60, "timestamps": [[5, 9]], "sentences": ["cut the onion into rings"]},
    }
    truth_path = path.with_name("truth.json")
    truth_path.write_text(json.dumps(truth))
    try:
        report = evaluate(read_truth(truth_path), read_predictions(path), meteor=False, ingredients={"a": ("salt",)})
    except InputError:
        return
    json.dumps(report.as_json(), allow_nan=False)


@given(text=st.text(max_size=60))
@settings(max_examples=60, deadline=None)
def test_any_text_is_refused_or_read(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.mktemp("fuzz") / "file.json"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    for reader in (read_predictions, read_truth, read_ingredients):
        with pytest.raises(BadFileError):
            reader(path)
