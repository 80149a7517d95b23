"""Sentences no cook would write are found, and good ones are let be."""

import pytest

from cookscribe.text.actions import packaged_verbs
from cookscribe.text.faults import AGAIN, NO_VERB, TWICE, FaultFinder, faulty_share

FINDER = FaultFinder(packaged_verbs())


@pytest.mark.parametrize(
    ("sentence", "faults"),
    [
        ("add salt and salt to a bowl", (TWICE,)),
        ("add marinara sauce and sauce to the soup", (TWICE,)),
        ("fold the edge of the edges", (TWICE,)),
        ("heat oil in a pan and fry the oil", (TWICE,)),
        ("soy sauce in the pan", (NO_VERB,)),
        ("add fish sauce and soy sauce to the wok", ()),
        ("bring the water to a boil and boil the penne", ()),
        ("cut the bread in half and the cheese in half", ()),
        ("chop the green onion and the red onion", ()),
    ],
)
def test_faults_of_a_sentence(sentence: str, faults: tuple[str, ...]) -> None:
    assert FINDER.of(sentence) == faults


def test_a_sentence_that_was_written_before_is_a_fault() -> None:
    assert FINDER.of("Stir the soup", ["add salt", "stir the  soup"]) == (AGAIN,)
    assert FINDER.of("stir the stew", ["stir the soup"]) == ()


def test_the_share_counts_sentences_of_all_recipes() -> None:
    recipes = [["add salt", "add salt"], ["stir it", "the soy sauce"], []]
    assert faulty_share(recipes, packaged_verbs()) == 0.5
    assert faulty_share([], packaged_verbs()) == 0
