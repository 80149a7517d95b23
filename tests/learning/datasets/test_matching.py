"""Agreement with labels: the counts, and the kinds of disagreement."""

import numpy as np
import pytest

from cookscribe.learning.datasets.matching import measure_actions, measure_actions_by_tags, measure_ingredients
from cookscribe.learning.datasets.records import AnnotatedVideo
from cookscribe.learning.datasets.svpc import AlignedVideo
from cookscribe.learning.datasets.youcook2 import Tag

SENTENCES = ("boil the eggs in beef stock", "melt the cheese with oil", "serve an egg")
INGREDIENTS = ("oil", "eggs", "beef", "beef stock", "goat cheese")
VERBS = ("boil", "melt", "oil", "serve", "wait")


def aligned() -> AlignedVideo:
    video = AnnotatedVideo("a", 9.0, np.array([[0, 1], [2, 3], [4, 5]]), SENTENCES, INGREDIENTS)
    # What a substring test would mark.
    alignment = np.array([[name in sentence for name in INGREDIENTS] for sentence in SENTENCES])
    return AlignedVideo(video, alignment, (("boil",), ("melt", "oil"), ()), ((0,), (1, 2), ()))


def test_ingredients() -> None:
    result = measure_ingredients([aligned()])
    assert (result.steps, result.both) == (3, 3)  # eggs and beef stock, oil
    assert result.only_found == {"part of the name": 1, "other number": 1}
    assert result.only_labelled == {"inside another word": 1, "inside a longer name": 1}
    assert (result.precision, result.recall, result.f1) == pytest.approx((0.6, 0.6, 0.6))
    assert ("part of the name", "goat cheese", SENTENCES[1]) in result.examples
    whole_names = measure_ingredients([aligned()], partial=False)
    assert whole_names.only_found == {"other number": 1}


def test_actions() -> None:
    result = measure_actions([aligned()], VERBS)
    assert (result.both, result.only_found, result.only_labelled) == (2, {"serve": 1}, {"oil": 1})
    tags = [[Tag("boil", "Ac"), Tag("oil", "F")], [Tag("melt down", "Ac")], [Tag("wait", "Af")]]
    by_tags = measure_actions_by_tags([(aligned().video, tags)], VERBS)
    assert (by_tags.both, by_tags.only_found, by_tags.only_labelled) == (2, {"serve": 1}, {"wait": 1})


def test_nothing_to_compare() -> None:
    result = measure_actions([], VERBS)
    assert (result.precision, result.recall, result.f1) == (0.0, 0.0, 0.0)
