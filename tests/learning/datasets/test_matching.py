"""Agreement with labels."""

import numpy as np
import pytest

from cookscribe.learning.datasets.matching import (
    Agreement,
    measure_actions,
    measure_actions_by_tags,
    measure_ingredients,
)
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
    # Eggs and beef stock, oil. Found besides: a part of "goat cheese", and "egg" for eggs. Labelled besides: "oil"
    # inside "boil", and the "beef" of "beef stock".
    assert measure_ingredients([aligned()]) == Agreement(3, found=5, labelled=5, both=3)
    assert measure_ingredients([aligned()], partial=False) == Agreement(3, found=4, labelled=5, both=3)


def test_actions() -> None:
    # "serve" is only found, the noun "oil" only labelled.
    result = measure_actions([aligned()], VERBS)
    assert result == Agreement(3, found=3, labelled=3, both=2)
    assert (result.precision, result.recall, result.f1) == pytest.approx((2 / 3,) * 3)
    tags = [[Tag("boil", "Ac"), Tag("oil", "F")], [Tag("melt down", "Ac")], [Tag("wait", "Af")]]
    assert measure_actions_by_tags([(aligned().video, tags)], VERBS) == result
    nothing = measure_actions([], VERBS)
    assert (nothing.precision, nothing.recall, nothing.f1) == (0.0, 0.0, 0.0)
