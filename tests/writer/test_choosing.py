"""The sentences that are chosen: without faults where there are some, and those that use up the ingredients."""

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from cookscribe.text.actions import packaged_verbs
from cookscribe.text.faults import FaultFinder
from cookscribe.writer.choosing import Naming, best_sentence, best_story

FINDER = FaultFinder(packaged_verbs())
FOODS = ("salt", "onion", "butter", "rice")
SENTENCES = [f"{verb} the {food}" for verb in ("add", "stir") for food in FOODS]
SENTENCES += ["add salt and butter", "fry the onion in butter", "serve it", "cover the pot"]


def test_a_faulty_sentence_is_passed_over_while_there_is_another() -> None:
    found = [("add salt and salt", -0.1), ("add salt", -0.2), ("stir the soup", -0.3)]
    assert best_sentence(found, [], FINDER) == 1
    assert best_sentence(found, ["add salt"], FINDER) == 2
    assert best_sentence(found[:1], [], FINDER) == 0


@st.composite
def beams(draw: st.DrawFn) -> list[list[tuple[str, float]]]:
    """Up to four beams of up to three sentences, none of which comes twice."""
    left = draw(st.permutations(SENTENCES))
    sizes = draw(st.lists(st.integers(1, 3), min_size=1, max_size=4))
    return [[(left.pop(), draw(st.floats(-2, 0))) for _ in range(size)] for size in sizes]


@given(beams(), st.sampled_from([0.0, 0.2, 1.0]), st.sampled_from([0.0, 0.5, 2.0]))
def test_no_other_recipe_from_the_same_beams_is_better(
    found: list[list[tuple[str, float]]], each: float, first: float
) -> None:
    """Against trying all of them."""

    def worth(places: tuple[int, ...]) -> float:
        told = [beam[place] for beam, place in zip(found, places, strict=True)]
        named = [{food for food in FOODS if food in text} for text, _ in told]
        gain = each * sum(len(foods) for foods in named) + first * len(set[str]().union(*named))
        return gain + sum(score for _, score in told)

    chosen = tuple(best_story(found, FINDER, Naming(FOODS, each, first)))
    best = max(worth(places) for places in product(*(range(len(beam)) for beam in found)))
    assert abs(worth(chosen) - best) < 1e-9


def test_no_sentence_comes_twice_while_there_is_another() -> None:
    found = [[("add the salt", -0.1), ("serve it", -0.5)], [("add the salt", -0.1), ("cover the pot", -3.0)]]
    assert best_story(found, FINDER, Naming((), 0.0, 0.0)) == [1, 0]
    assert best_story([found[0][:1], found[1][:1]], FINDER, Naming((), 0.0, 0.0)) == [0, 0]


def test_what_an_earlier_sentence_names_leaves_room_for_another() -> None:
    found = [[("add the salt", -0.1), ("add the onion", -0.2)], [("stir the salt", -0.1), ("stir the rice", -0.3)]]
    assert best_story(found, FINDER, Naming((), 0.1, 0.5)) == [0, 0]
    assert best_story(found, FINDER, Naming(("salt", "rice"), 0.0, 0.5)) == [0, 1]
    assert best_story(found, FINDER, Naming(("salt", "onion"), 0.0, 5.0)) == [1, 0]


def test_a_food_is_no_reason_for_a_faulty_sentence() -> None:
    found = [[("add butter and butter", -0.1), ("cover the pot", -1.5)], [("cover the pot", -0.1), ("serve it", -2.0)]]
    assert best_story(found, FINDER, Naming(("butter",), 1.0, 5.0)) == [1, 1]
    assert best_story([found[0][:1]], FINDER, Naming(("butter",), 1.0, 5.0)) == [0]
