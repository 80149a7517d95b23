"""The sentence that is chosen: without faults where there is one, and in the middle of the others."""

from hypothesis import given
from hypothesis import strategies as st

from cookscribe.text.actions import packaged_verbs
from cookscribe.text.faults import FaultFinder
from cookscribe.writer.choosing import best_sentence, grams, likeness

FINDER = FaultFinder(packaged_verbs())
lines = st.text(alphabet="ab c", max_size=12)


@given(lines, lines)
def test_likeness_is_a_similarity(one: str, other: str) -> None:
    assert likeness(grams(one), grams(one)) == 1
    assert likeness(grams(one), grams(other)) == likeness(grams(other), grams(one))
    assert 0 <= likeness(grams(one), grams(other)) <= 1


def test_a_faulty_sentence_is_passed_over_while_there_is_another() -> None:
    found = [("add salt and salt", -0.1), ("add salt", -0.3), ("stir the soup", -0.2)]
    assert best_sentence(found, [], FINDER, 0) == 1
    assert best_sentence(found, ["add salt"], FINDER, 0) == 2
    assert best_sentence(found[:1], [], FINDER, 0) == 0


def test_agreement_chooses_what_most_sentences_say() -> None:
    found = [("cut the bread", -0.5), ("add the onion to the pan", -0.6), ("add the onion to a pan", -0.61)]
    assert best_sentence(found, [], FINDER, 0) == 0
    assert best_sentence(found, [], FINDER, 5) in (1, 2)


def test_what_fits_the_picture_is_chosen_among_clean_sentences() -> None:
    found = [("cut the bread", -0.5), ("fry the egg", -0.6), ("fry the egg and egg", -0.61)]
    assert best_sentence(found, [], FINDER, 0, [0.0, 0.0, 0.0]) == 0
    assert best_sentence(found, [], FINDER, 0, [-0.2, 0.1, 0.5]) == 1
    assert best_sentence(found, ["fry the egg"], FINDER, 0, [-0.2, 0.1, 0.5]) == 0
