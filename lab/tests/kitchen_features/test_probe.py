import numpy as np
import pytest

from cookscribe_lab.kitchen_features.probe import RIDGE, LinearProbe, SentenceProbe, classify, name_one


@pytest.mark.parametrize(("events", "width"), [(50, 8), (8, 50)])
def test_a_probe_is_ridge_regression(events: int, width: int) -> None:
    rng = np.random.default_rng(0)
    features, targets = rng.normal(3.0, 2.0, (events, width)), rng.random((events, 3))
    probe = LinearProbe.fit(features, targets)
    # The same as plain least squares with one more row per weight that pulls it to zero.
    centred = features - features.mean(axis=0)
    pull = np.sqrt(RIDGE * events * centred.var()) * np.eye(width)
    weights, *_ = np.linalg.lstsq(
        np.concatenate([centred, pull]),
        np.concatenate([targets - targets.mean(axis=0), np.zeros((width, 3))]),
        rcond=None,
    )
    new = rng.normal(size=(5, width))
    assert probe.scores(new) == pytest.approx((new - features.mean(axis=0)) @ weights + targets.mean(axis=0))


def test_classify_finds_what_is_there_and_knows_chance() -> None:
    rng = np.random.default_rng(1)
    labels = ["a"] * 60 + ["b"] * 30 + ["c"] * 10
    features = rng.normal(size=(100, 4)) + 5.0 * np.eye(4)[["abc".index(label) for label in labels]]
    reading = classify(features, labels, features, labels)
    assert reading.right > 0.95
    assert reading.chance == 0.6
    assert reading.count == 100
    # A label that was never fitted cannot be asked for, and does not count.
    assert classify(features, labels, features[:2], ["a", "z"]).count == 1


def test_name_one_is_right_if_it_is_in_the_set() -> None:
    sets = [frozenset("ab"), frozenset("b"), frozenset("c"), frozenset()] * 10
    features = np.array([[1.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]] * 10)
    reading = name_one(features, sets, features, sets, most=3)
    assert reading.count == 30
    assert reading.right == 1.0
    assert reading.chance == pytest.approx(2 / 3)


def test_a_linear_captioner_says_the_words_it_reads() -> None:
    rng = np.random.default_rng(0)
    verbs, foods = ("chop", "stir", "fry"), ("onion", "rice", "beef", "milk")
    steps = [(int(rng.integers(3)), int(rng.integers(4))) for _ in range(200)]
    sentences = [f"{verbs[verb]} the {foods[food]}" for verb, food in steps]
    features = np.array([[*np.eye(3)[verb], *np.eye(4)[food]] for verb, food in steps])
    features += rng.normal(0.0, 0.1, features.shape)
    captioner = SentenceProbe.fit(features[:150], sentences[:150])
    assert captioner.caption(features[150:]) == sentences[150:]
