"""What calibration means: how often a step is right that is told with so much confidence."""

import numpy as np
import pytest

from cookscribe.bundle import BundleConfig
from cookscribe.evaluation.events import Events
from cookscribe.learning.calibration import (
    calibrate,
    expected_calibration_error,
    logistic_regression,
    ranked_rightly,
    right_steps,
    word_f1,
)
from cookscribe.learning.datasets.records import AnnotatedVideo


def test_calibration_finds_how_often_it_is_right() -> None:
    rng = np.random.default_rng(0)
    sure = rng.uniform(0.02, 0.98, 4000)
    odds = np.log(sure / (1 - sure))
    right = rng.random(4000) < 1 / (1 + np.exp(-(0.5 * odds + 1.0)))  # says less than it knows
    slope, shift = calibrate(sure.tolist(), right.tolist())
    assert slope == pytest.approx(0.5, abs=0.08)
    assert shift == pytest.approx(1.0, abs=0.12)
    config = BundleConfig(name="x", encoder="y", calibration=(slope, shift))
    told = [config.calibrated(value) for value in sure]
    assert (
        expected_calibration_error(told, right.tolist())
        < 0.02
        < expected_calibration_error(sure.tolist(), right.tolist())
    )


def test_a_right_step_has_time_and_words() -> None:
    sentences = ("chop the onion", "fry the onion", "boil the rice")
    video = AnnotatedVideo("soup", 60.0, np.array([[0.0, 10.0], [15.0, 30.0], [40.0, 55.0]]), sentences)
    true = Events(video.spans, video.sentences)
    assert all(right_steps(true, video))
    assert not any(right_steps(Events(video.spans, ("sing a song",) * len(video.sentences)), video))
    assert not any(right_steps(Events(video.spans + video.duration, video.sentences), video))
    assert word_f1("chop the onion", "chop the carrot") == pytest.approx(2 / 3)


def test_regression_finds_which_signs_matter() -> None:
    rng = np.random.default_rng(1)
    signs = rng.normal(size=(6000, 3))
    right = rng.random(6000) < 1 / (1 + np.exp(-(signs @ [1.5, 0.0, -0.7] + 0.3)))
    found = logistic_regression(signs, right.tolist(), np.zeros(4), 1.0)
    assert found == pytest.approx([1.5, 0.0, -0.7, 0.3], abs=0.12)


def test_rank_is_the_share_of_pairs_in_order() -> None:
    assert ranked_rightly([0.9, 0.2, 0.5, 0.5], [True, False, True, False]) == pytest.approx((2 + 1 + 0.5) / 4)
    assert ranked_rightly([0.9, 0.2], [True, True]) == 0.5
