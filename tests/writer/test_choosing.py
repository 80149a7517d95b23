"""The sentence that is chosen: without faults where there is one, and as other evidence has it."""

from cookscribe.text.actions import packaged_verbs
from cookscribe.text.faults import FaultFinder
from cookscribe.writer.choosing import best_sentence

FINDER = FaultFinder(packaged_verbs())


def test_a_faulty_sentence_is_passed_over_while_there_is_another() -> None:
    found = [("add salt and salt", -0.1), ("add salt", -0.2), ("stir the soup", -0.3)]
    assert best_sentence(found, [], FINDER, [0.0] * 3) == 1
    assert best_sentence(found, ["add salt"], FINDER, [0.0] * 3) == 2
    assert best_sentence(found[:1], [], FINDER, [0.0]) == 0


def test_what_fits_other_evidence_is_chosen_among_clean_sentences() -> None:
    found = [("cut the bread", -0.5), ("fry the egg", -0.6), ("fry the egg and egg", -0.61)]
    assert best_sentence(found, [], FINDER, [0.0, 0.0, 0.0]) == 0
    assert best_sentence(found, [], FINDER, [-0.2, 0.1, 0.5]) == 1
    assert best_sentence(found, ["fry the egg"], FINDER, [-0.2, 0.1, 0.5]) == 0
