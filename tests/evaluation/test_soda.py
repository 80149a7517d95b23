"""SODA: the dynamic programme against brute force, and what the two flavours promise."""

import sys
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.evaluation import tiou
from cookscribe.errors import BadValueError
from cookscribe.evaluation import Events, soda, soda_tiou
from cookscribe.evaluation.pairing import pair_up
from cookscribe.evaluation.soda import story_scores

SPANS = st.lists(
    st.tuples(st.integers(0, 30), st.integers(0, 15)).map(lambda p: [float(p[0]), float(p[0] + p[1])]),
    min_size=1,
    max_size=5,
)


def brute_force(truth: list[list[float]], guesses: list[list[float]]) -> float:
    """F1 of the best order-preserving assignment, by trying all of them."""
    truth, guesses = sorted(truth, key=lambda s: s[0]), sorted(guesses, key=lambda s: s[0])
    best = 0.0
    for size in range(1, min(len(truth), len(guesses)) + 1):
        for rows in combinations(range(len(truth)), size):
            for columns in combinations(range(len(guesses)), size):
                best = max(best, sum(tiou(truth[r], guesses[c]) for r, c in zip(rows, columns, strict=True)))
    precision, recall = best / len(guesses), best / len(truth)
    return 2 * precision * recall / (precision + recall) if best else 0.0


@given(st.lists(st.tuples(SPANS, SPANS), min_size=1, max_size=4))
@settings(max_examples=60, deadline=None)
def test_the_best_story_is_found(videos: list[tuple[list[list[float]], list[list[float]]]]) -> None:
    truth = {f"{i}": np.array(t) for i, (t, _) in enumerate(videos)}
    guesses = {f"{i}": np.array(p) for i, (_, p) in enumerate(videos)}
    expected = 100 * np.mean([brute_force(t, p) for t, p in videos])
    assert soda_tiou(truth, guesses) == pytest.approx(expected, abs=1e-9)


def test_blocks_of_any_size_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = np.random.default_rng(5)
    truth, guesses = [], []
    for _ in range(40):
        for target in (truth, guesses):
            start = draw.uniform(0, 90, draw.integers(1, 12))
            target.append(np.stack([start, start + draw.uniform(0, 30, len(start))], axis=1))
    pairing = pair_up(truth, guesses)
    together = story_scores(pairing, np.ones(len(pairing.tiou)))
    monkeypatch.setattr(sys.modules["cookscribe.evaluation.soda"], "_CELLS", 50)
    apart = story_scores(pairing, np.ones(len(pairing.tiou)))
    assert (together == apart).all()


TRUTH = {
    "a": Events(
        [[0, 10], [10, 20], [30, 40]], ("add the salt to the pan", "stir the soup for a while", "serve it hot")
    ),
    "b": Events([[0, 5], [6, 9]], ("cut the onion into rings", "fry the onion rings in oil")),
}


def test_perfect_predictions_reach_100_tiou() -> None:
    assert soda(TRUTH, TRUTH, "tIoU") == pytest.approx(100, abs=1e-5)
    assert soda(TRUTH, TRUTH, "tIoU", "released") == pytest.approx(100, abs=1e-5)


def test_events_need_not_be_listed_in_order() -> None:
    backwards = {key: Events(v.spans[::-1], v.sentences[::-1]) for key, v in TRUTH.items()}
    for flavour in ("strict", "released"):
        assert soda(TRUTH, backwards, "CIDEr", flavour) == soda(TRUTH, TRUTH, "CIDEr", flavour)


def test_a_missing_video_is_0_or_left_out() -> None:
    only_a = {"a": TRUTH["a"]}
    alone = soda(only_a, only_a, "tIoU")
    assert soda(TRUTH, only_a, "tIoU", "strict") == pytest.approx(alone / 2)
    assert soda(TRUTH, only_a, "tIoU", "released") == pytest.approx(alone)
    empty = {"a": TRUTH["a"], "b": Events([], ())}
    assert soda(TRUTH, empty, "tIoU", "released") == pytest.approx(alone)
    assert soda(TRUTH, {}, "CIDEr", "released") == 0


def test_released_cider_of_one_prediction_is_0() -> None:
    single = {"a": Events([[0, 10]], ("add the salt to the pan",))}
    assert soda({"a": TRUTH["a"]}, single, "CIDEr", "released") == 0
    assert soda(TRUTH, single, "CIDEr", "strict") > 0


def test_strict_cider_rewards_the_right_words() -> None:
    wrong = {key: Events(v.spans, ("wash the dishes",) * len(v)) for key, v in TRUTH.items()}
    assert soda(TRUTH, wrong) < soda(TRUTH, TRUTH)


def test_unknown_names_are_typed_errors() -> None:
    with pytest.raises(BadValueError, match="scorer"):
        soda(TRUTH, TRUTH, "METEOR")  # type: ignore[arg-type]
    with pytest.raises(BadValueError, match="truth"):
        soda({"c": TRUTH["a"]}, TRUTH)
    with pytest.raises(BadValueError, match="holds no video"):
        soda({}, TRUTH)
    with pytest.raises(BadValueError, match="has no event"):
        soda({"a": Events([], ())}, TRUTH)
