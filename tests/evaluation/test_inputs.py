"""Prediction and truth files: good ones are read, bad ones give a typed error that names the place."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cookscribe.errors import BadFileError, BadValueError, InputError, MissingFileError
from cookscribe.evaluation import Events, evaluate, read_ingredients, read_predictions, read_truth


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


def _events(count: int) -> str:
    return ",".join(['{"sentence":"stir","timestamp":[0,1]}'] * count)


def test_a_million_events_of_one_video_are_refused_before_they_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cookscribe.evaluation.inputs.parse_json", lambda *_: pytest.fail("was read"))
    predictions = written(tmp_path, '{"results":{"v_a":[' + _events(1_000_001) + "]}}")
    with pytest.raises(BadFileError, match=r"file\.json: holds 1,000,001 events"):
        read_predictions(predictions)
    spans = "[0,1]," * 1_000_000 + "[0,1]"
    truth = written(tmp_path, '{"v_a":{"duration":9,"timestamps":[' + spans + '],"sentences":[]}}')
    with pytest.raises(BadFileError, match="more than 1,000,000"):
        read_truth(truth)


def test_a_video_has_so_many_events_and_a_sentence_so_many_letters(tmp_path: Path) -> None:
    enough = read_predictions(written(tmp_path, '{"results":{"v_a":[' + _events(10_000) + "]}}"))
    assert len(enough["v_a"]) == 10_000
    with pytest.raises(BadFileError, match="v_a has 10,001 events, more than 10,000"):
        read_predictions(written(tmp_path, '{"results":{"v_a":[' + _events(10_001) + "]}}"))
    many = {"duration": 9, "timestamps": [[0, 1]] * 10_001, "sentences": ["stir"] * 10_001}
    with pytest.raises(BadFileError, match="v_a has 10,001 events, more than 10,000"):
        read_truth(written(tmp_path, {"v_a": many}))
    with pytest.raises(BadFileError, match="v_a, event 0: a sentence of 10,001 letters"):
        read_predictions(written(tmp_path, predicting(sentence="x" * 10_001)))


def test_events_that_all_overlap_are_refused_before_they_are_compared() -> None:
    true, guessed = ({"a": Events(np.tile([0.0, 9.0], (n, 1)), ("stir",) * n)} for n in (1001, 4000))
    with pytest.raises(BadValueError, match="4,000 predicted and 1,001 true events in one video"):
        evaluate(true, guessed, meteor=False)
    some = {str(n): Events(np.tile([0.0, 9.0], (500, 1)), ("",) * 500) for n in range(17)}
    with pytest.raises(BadValueError, match="more than 4,000,000 pairs"):
        evaluate(some, some, meteor=False)


def test_captions_that_are_all_alike_are_refused_before_memory_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cookscribe.evaluation.captions.MOST_SHARED", 999)
    alike = {"a": Events(np.tile([0.0, 9.0], (10, 1)), ("stir the soup in the pot",) * 10)}
    with pytest.raises(BadValueError, match="too much alike"):
        evaluate(alike, alike, meteor=False)
    monkeypatch.setattr("cookscribe.evaluation.captions.MOST_SHARED", 9999)
    assert evaluate(alike, alike, meteor=False).localisation.f1 == 1.0
