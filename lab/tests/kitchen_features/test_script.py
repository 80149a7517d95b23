from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from cookscribe.learning.datasets.records import AnnotatedVideo
from cookscribe_lab.kitchen_features.looks import Vector, food_look
from cookscribe_lab.kitchen_features.script import Sight, StepView, read_sentence, stage
from cookscribe_lab.kitchen_features.words import food


def scenes(*sentences: str, ingredients: tuple[str, ...] = (), veil: float = 0.0) -> list[StepView]:
    spans = np.array([[10.0 * n, 10.0 * n + 5.0] for n in range(len(sentences))])
    return stage(AnnotatedVideo("v", 10.0 * len(sentences), spans, sentences, ingredients), veil)


def sight(scene: StepView, name: str) -> Sight:
    return next(sight for sight in scene.sights if sight.name == name)


def own_share(look: Vector, name: str) -> float:
    """How much of the raw look is left: the cosine with it."""
    raw = food_look(food(name))
    return float(look @ raw / (np.linalg.norm(look) * np.linalg.norm(raw)))


def test_a_sentence_names_actions_foods_and_vessels() -> None:
    sentence = read_sentence("chop the onions and fry them in a frying pan with olive oil")
    assert sentence.actions == ("chop", "fry")
    assert [name for name, _ in sentence.foods] == ["onions", "olive oil"]
    assert sentence.vessels == ("pan",)
    assert sentence.made == ("them",)


def test_listed_ingredients_are_found_by_their_own_name() -> None:
    sentence = read_sentence("add the zibble root to the wok", ["grated zibble root", "salt"])
    assert [name for name, _ in sentence.foods] == ["grated zibble root"]


def test_a_participle_is_a_state_and_no_action() -> None:
    sentence = read_sentence("add chopped onions and salt")
    assert sentence.actions == ("add",)
    assert dict(sentence.foods) == {"onions": ("cut",), "salt": ()}


def test_what_is_cut_stays_cut() -> None:
    chop, add = scenes("chop the carrot", "add the carrot to the pot")
    first, second = sight(chop, "carrot"), sight(add, "carrot")
    assert own_share(first.before, "carrot") > 0.99
    assert own_share(first.after, "carrot") < 0.95
    assert np.array_equal(second.before, first.after)


def test_each_change_takes_away_from_the_own_look() -> None:
    shown = scenes(
        "wash the beef", "chop the beef", "fry the beef in a pan", "add flour and mix the beef", "mix the beef"
    )
    shares = [own_share(sight(scene, "beef").after, "beef") for scene in shown]
    assert all(later < earlier for earlier, later in pairwise(shares[:4]))
    assert shares[3] < 0.5  # mixed food is hardly recognised
    assert shares[4] == shares[3]  # and mixing it again changes nothing


def test_look_alikes_stay_alike_through_all_changes() -> None:
    story = ("chop the {0}", "fry the {0} with salt in a pan", "add water and stir the {0}", "serve it")
    beef, pork = (scenes(*(line.format(name) for line in story)) for name in ("beef", "pork"))
    for left, right in zip(beef, pork, strict=True):
        assert left.vessel == right.vessel
        for a, b in zip(left.sights, right.sights, strict=True):
            assert np.array_equal(a.before, b.before)
            assert np.array_equal(a.after, b.after)
            assert a.weight == b.weight


def test_what_was_put_in_stays_in_view_unnamed() -> None:
    add, stir = scenes("add milk and rice to a pot", "add the lemon")
    around = next(sight for sight in stir.sights if not sight.named)
    assert around.weight < sight(stir, "lemon").weight
    assert own_share(around.before, "milk") > 0.3
    assert own_share(around.before, "rice") > 0.3
    assert not any(not sight.named for sight in add.sights)


def test_it_is_what_was_made_before_and_moves_with_the_work() -> None:
    mix, pour, cut = scenes("mix flour and milk in a bowl", "pour the mixture into a pan", "chop an onion")
    assert mix.vessel == "bowl"
    assert pour.vessel == "pan"
    (mixture,) = pour.sights
    assert mixture.weight == 1.0
    assert 0.1 < own_share(mixture.before, "flour") < 0.6
    # On the board nothing else is seen; and the pan is still there afterwards.
    assert [sight.name for sight in cut.sights] == ["onion"]


def test_vessels_follow_the_actions() -> None:
    shown = scenes("mix egg and flour", "fry the bacon", "add salt", "chop parsley", "bake it", "boil the pasta")
    assert [scene.vessel for scene in shown] == ["bowl", "pan", "pan", "board", "oven", "pot"]


def test_a_step_without_known_words_is_still_a_scene() -> None:
    (scene,) = scenes("zibble the frobnitz")
    assert scene.actions == ("prepare",)
    assert scene.sights == ()


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(max_size=60), min_size=1, max_size=5), st.lists(st.text(max_size=20), max_size=4))
def test_any_text_can_be_staged(sentences: list[str], ingredients: list[str]) -> None:
    for scene in scenes(*sentences, ingredients=tuple(ingredients)):
        assert scene.actions
        assert scene.vessel
        for seen in scene.sights:
            assert np.isfinite(seen.before).all()
            assert np.linalg.norm(seen.after) <= 1.01


def test_veiled_steps_look_alike_and_differ_by_what_came_before() -> None:
    with_carrot = scenes("add the carrot to the pot", "stir the carrot in the pot", veil=1.0)
    with_beef = scenes("add the beef to the pot", "stir the beef in the pot", veil=1.0)
    first, later = (sight(with_carrot[0], "carrot"), sight(with_carrot[1], "carrot"))
    assert not np.allclose(first.before, sight(with_beef[0], "beef").before)
    assert np.allclose(later.before, sight(with_beef[1], "beef").before)
    assert np.allclose(later.after, sight(with_beef[1], "beef").after)
    # Without the veil the second steps can be told apart, and half a veil leaves half of the difference or more.
    gaps = []
    for veil in (0.0, 0.5, 1.0):
        left = scenes("add the carrot to the pot", "stir the carrot in the pot", veil=veil)[1]
        right = scenes("add the beef to the pot", "stir the beef in the pot", veil=veil)[1]
        gaps.append(float(np.linalg.norm(sight(left, "carrot").before - sight(right, "beef").before)))
    assert gaps[0] > gaps[1] > gaps[2] == 0.0


def test_behind_a_veil_what_a_step_needs_is_seen_in_the_step_before() -> None:
    first, second = scenes("heat the oil in a pan", "add the carrot", veil=1.0)
    other_first, other = scenes("heat the oil in a pan", "add the beef", veil=1.0)
    assert np.allclose(sight(second, "carrot").before, sight(other, "beef").before)
    assert own_share(sight(first, "carrot, laid out").before, "carrot") > 0.99
    assert own_share(sight(other_first, "beef, laid out").before, "beef") > 0.99
    # Without a veil nothing is laid out.
    assert not any(
        "laid out" in sight.name for scene in scenes("heat the oil", "add the carrot") for sight in scene.sights
    )
