"""What captions say of candidates: by hand on a made-up video."""

import numpy as np
import pytest

from cookscribe.learning.datasets.records import AnnotatedVideo
from cookscribe.senses.transcripts import Transcript
from cookscribe_lab.studies.selection.caption_numbers import CaptionNumbers, ingredient_numbers, telling_words

CAPTIONS = ("add the saffron.", "add the onions.", "add the onions.", "")
SPANS = np.array([[0.0, 10.0], [1.0, 11.0], [50.0, 60.0], [80.0, 90.0]])


@pytest.fixture
def numbers() -> CaptionNumbers:
    spans = np.array([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0], [6.0, 7.0]])
    sentences = ("add the onions", "add the rice", "add the saffron", "stir the onions")
    return CaptionNumbers.fit({"a": AnnotatedVideo("a", 10.0, spans, sentences)})


def test_words_that_say_nothing_are_left_out() -> None:
    assert telling_words("Add some salt to the Pan!") == ["add", "salt", "pan"]


def test_numbers_of_captions_alone(numbers: CaptionNumbers) -> None:
    found = numbers.alone(CAPTIONS, SPANS)
    np.testing.assert_allclose(found[:, 0], [2, 2, 2, 0])
    # The first two stand in the same place and share one word of three; the others stand alone.
    np.testing.assert_allclose(found[:, 1], [1 / 3, 1 / 3, 0, 0])
    np.testing.assert_allclose(found[:3, 2], [0, 1, 1])
    # Saffron stands in one sentence of four, onions in two.
    np.testing.assert_allclose(found[0, 3] - found[1, 3], (np.log(4 / 2) - np.log(4 / 3)) / 2)
    assert found[3, 3] == 0


def test_words_heard_near_a_candidate_count(numbers: CaptionNumbers) -> None:
    times = np.array([[5.0, 6.0], [40.0, 41.0]])
    found = numbers.heard(CAPTIONS, SPANS, Transcript(("Saffron,", "onions"), times, timed=True))
    # Onions are heard ten seconds before the third candidate, half a minute after the second.
    np.testing.assert_allclose(found[:, 0], [np.log(4 / 2) / 3, 0, np.log(4 / 3) / 3, 0])
    np.testing.assert_allclose(found[:, 1], [0.5, 0.5, 0.5, 0])
    assert not numbers.heard(CAPTIONS, SPANS, None).any()


def test_ingredients_are_found_one_or_many() -> None:
    found = ingredient_numbers(CAPTIONS, ("red onion", "saffron"))
    np.testing.assert_allclose(found, [[1, 0.5], [1, 0.5], [1, 0.5], [0, 0]])


def test_no_candidates_no_numbers(numbers: CaptionNumbers) -> None:
    none = np.zeros((0, 2))
    assert numbers.alone((), none).shape == (0, 4)
    assert numbers.heard((), none, None).shape == (0, 2)
    assert ingredient_numbers((), ("onion",)).shape == (0, 2)
