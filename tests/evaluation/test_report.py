"""The report as a whole: its keys, its invariances, and what it does with empty and unknown videos."""

import json
import os
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from benchmarks.kitchen_talk import made_up
from cookscribe.errors import BadValueError
from cookscribe.evaluation import Events, evaluate

KEYS = {
    "videos": {"truth", "predicted", "missing"},
    "dvc_eval": {"2018", "2021"},
    "localisation": {"precision", "recall", "f1", "per_tiou"},
    "soda": {"released", "strict"},
    "paragraph": {"BLEU4", "METEOR", "CIDEr", "ROUGE_L"},
    "repetition": {"R@4"},
    "counts": {"within", "mean_predicted", "mean_truth", "histogram"},
    "ingredients": {"precision", "recall", "f1"},
}


def scores(truth: dict[str, Events], predictions: dict[str, Events]) -> str:
    return json.dumps(evaluate(truth, predictions, meteor=False).as_json(), allow_nan=False)


def test_the_report_has_the_published_keys() -> None:
    report = evaluate(*made_up(1), meteor=False, ingredients={"00": ("salt", "onion")}).as_json()
    assert {key: set(value) for key, value in report.items()} == KEYS
    for flavour in report["dvc_eval"].values():
        assert set(flavour) == {"BLEU1", "BLEU2", "BLEU3", "BLEU4", "METEOR", "ROUGE_L", "CIDEr"}
        assert flavour["METEOR"] is None
    for flavour in report["soda"].values():
        assert set(flavour) == {"METEOR", "CIDEr", "tIoU"}
    assert set(report["localisation"]["per_tiou"]) == {"0.3", "0.5", "0.7", "0.9"}
    assert all(set(pair) == {"precision", "recall"} for pair in report["localisation"]["per_tiou"].values())
    assert set(report["counts"]["within"]) == {"0", "1", "2", "3"}


@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_videos_changes_no_digit(seed: int) -> None:
    truth, predictions = made_up(seed, videos=30)
    expected = scores(truth, predictions)
    draw = random.Random(seed)
    for _ in range(3):
        keys, others = list(truth), list(predictions)
        draw.shuffle(keys)
        draw.shuffle(others)
        assert scores({k: truth[k] for k in keys}, {k: predictions[k] for k in others}) == expected


def test_prefixes_change_nothing() -> None:
    truth, predictions = made_up(2)
    bare = {key.removeprefix("v_"): events for key, events in truth.items()}
    theirs = json.loads(scores(bare, predictions))
    ours = json.loads(scores(truth, predictions))
    assert [key.removeprefix("v_") for key in ours["videos"].pop("missing")] == theirs["videos"].pop("missing")
    assert theirs == ours


def test_an_id_may_begin_with_the_prefix() -> None:
    events = Events([[0, 1]], ("stir",))
    report = evaluate({"v_x": events, "y": events}, {"v_x": events, "y": events}, meteor=False)
    assert report.missing == ()


def test_one_odd_prediction_does_not_hide_the_others() -> None:
    events = Events([[0, 1]], ("stir",))
    report = evaluate({"v_x": events, "v_y": events}, {"v_x": events, "y": events, "odd": events}, meteor=False)
    assert (report.missing, report.unknown) == ((), ("odd",))
    # With ids that begin with the prefix themselves, a prediction belongs to one video only.
    report = evaluate({"x": events, "v_x": events}, {"v_x": events}, meteor=False)
    assert report.missing == ("x",)


def test_threads_change_no_digit() -> None:
    truth, predictions = made_up(3, videos=40)
    expected = scores(truth, predictions)
    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(lambda _: scores(truth, predictions), range(4))) == {expected}
    program = (
        "from benchmarks.kitchen_talk import made_up\n"
        "from tests.evaluation.test_report import scores\n"
        "print(scores(*made_up(3, videos=40)))"
    )
    for threads in ("1", "4"):
        environment = os.environ | {f"{name}_NUM_THREADS": threads for name in ("OMP", "OPENBLAS", "MKL")}
        done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
        assert done.stdout.strip() == expected, done.stderr


TRUTH = {
    "a": Events([[0, 10], [10, 20]], ("add the salt to the pan", "stir the soup for a while")),
    "b": Events([[0, 5]], ("cut the onion into rings",)),
}


def test_perfect_predictions() -> None:
    report = evaluate(TRUTH, TRUTH, meteor=False).as_json()
    assert report["localisation"]["f1"] == pytest.approx(100)
    assert report["dvc_eval"]["2018"]["BLEU4"] == pytest.approx(100, abs=1e-4)
    assert report["paragraph"]["BLEU4"] == pytest.approx(100, abs=1e-4)
    assert report["videos"] == {"truth": 2, "predicted": 2, "missing": []}


def test_no_predictions_score_zero_everywhere() -> None:
    for predictions in ({}, {"a": Events([], ()), "b": Events([], ())}):
        report = evaluate(TRUTH, predictions, meteor=False).as_json()
        assert report["videos"] == {"truth": 2, "predicted": 0, "missing": ["a", "b"]}
        assert set(report["dvc_eval"]["2021"].values()) == {0.0, None}
        assert set(report["soda"]["released"].values()) == {0.0, None}
        assert report["localisation"]["f1"] == 0.0
        assert report["repetition"]["R@4"] == 0.0
        json.dumps(report, allow_nan=False)


def test_an_empty_list_counts_like_a_missing_video() -> None:
    empty = evaluate(TRUTH, {"a": TRUTH["a"], "b": Events([], ())}, meteor=False)
    missing = evaluate(TRUTH, {"a": TRUTH["a"]}, meteor=False)
    assert empty.missing == missing.missing == ("b",)
    assert empty.as_json() == missing.as_json()


def test_unknown_videos_are_named_and_not_scored() -> None:
    report = evaluate(TRUTH, TRUTH | {"z": TRUTH["a"]}, meteor=False)
    assert report.unknown == ("z",)
    assert report.as_json() == evaluate(TRUTH, TRUTH, meteor=False).as_json()
    with pytest.raises(BadValueError, match="not one predicted video"):
        evaluate(TRUTH, {"z": TRUTH["a"]}, meteor=False)


@pytest.mark.parametrize(
    "spans",
    [[[5, 1]], [[-1, 2]], [[0, float("nan")]], [[0, float("inf")]], [[1, 2, 3]], [1, 2], [["x", 1]], [[None, 2]]],
)
def test_impossible_spans_are_typed_errors(spans: list[list[float]]) -> None:
    with pytest.raises(BadValueError):
        Events(spans, ("stir",) * len(spans))


def test_events_need_a_sentence_each() -> None:
    with pytest.raises(BadValueError, match="1 spans but 2 sentences"):
        Events([[0, 1]], ("a", "b"))
    with pytest.raises(BadValueError, match="not text"):
        Events([[0, 1]], (3,))  # type: ignore[arg-type]
