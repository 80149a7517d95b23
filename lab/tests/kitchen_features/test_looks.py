import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cookscribe.text.actions import packaged_verbs
from cookscribe_lab.kitchen_features.looks import (
    SIZE,
    THING,
    Vector,
    action_look,
    food_look,
    scene_look,
    state_look,
    vessel_look,
)
from cookscribe_lab.kitchen_features.words import (
    STATES,
    action_families,
    action_family,
    effect,
    food,
    look_alikes,
    vessels,
)
from cookscribe_lab.kitchen_films.food_table import FOODS


def cosine(left: Vector, right: Vector) -> float:
    return float(left @ right / (np.linalg.norm(left) * np.linalg.norm(right)))


@pytest.mark.parametrize("names", [("salt", "sugar", "flour"), ("beef", "pork", "veal"), ("parsley", "cilantro")])
def test_look_alikes_have_one_look(names: tuple[str, ...]) -> None:
    first = food_look(food(names[0]))
    for name in names[1:]:
        assert np.array_equal(first, food_look(food(name)))


def test_every_member_of_a_group_is_found_in_it() -> None:
    for group, members in look_alikes().items():
        for name in members:
            assert food(name).group == group, name


def test_what_the_grammar_calls_alike_looks_alike() -> None:
    groups: dict[tuple[str, str], set[str]] = {}
    for item in FOODS.values():
        assert food(item.name).family != "other", f"the larder's {item.name} has no look of its kind"
        if item.group:
            groups.setdefault((item.kind, item.group), set()).add(food(item.name).group)
    assert groups
    for group, looks in groups.items():
        assert len(looks) == 1, f"{group} looks like {sorted(looks)}"


def test_related_words_look_related() -> None:
    assert cosine(action_look("chop"), action_look("slice")) > 0.4 > cosine(action_look("chop"), action_look("boil"))
    carrot, onion, milk = (food_look(food(name)) for name in ("carrot", "onion", "milk"))
    assert cosine(carrot, onion) > 0.15
    assert cosine(carrot, onion) > cosine(carrot, milk) + 0.1
    # Frying shows on meat much as on fish, and otherwise than boiling.
    assert cosine(state_look("fried", "meat"), state_look("fried", "seafood")) > 0.4
    assert abs(cosine(state_look("fried", "meat"), state_look("boiled", "meat"))) < 0.3


def test_different_groups_differ() -> None:
    names = sorted(look_alikes())
    looks = np.stack([food_look(food(name)) for name in names])
    looks /= np.linalg.norm(looks, axis=1, keepdims=True)
    cosines = looks @ looks.T - np.eye(len(looks))
    assert cosines.max() < 0.7


def test_names_are_read_by_their_longest_known_part() -> None:
    assert food("finely chopped fresh parsley").group == food("parsley").group
    assert food("chicken stock").group == food("broth").group != food("chicken").group
    assert food("Tomatoes") == food("tomato")
    assert food("dark soy sauce").group == "soy sauce"


@given(st.text(alphabet="qxzvkj", min_size=5, max_size=9))
def test_an_unknown_food_has_a_look_of_its_own(name: str) -> None:
    look = food_look(food(name))
    assert look.shape == (SIZE,)
    assert food(name).family == "other"
    assert all(cosine(look, food_look(food(known))) < 0.6 for known in look_alikes())


def test_every_action_has_a_look_and_a_lawful_effect() -> None:
    for verb in {*packaged_verbs(), *action_families()}:
        assert np.isfinite(action_look(verb)).all()
        result = effect(action_family(verb))
        assert not result.state or result.state in STATES
        assert set(result.vessels) <= set(vessels().values())


def test_parts_of_the_space_do_not_overlap() -> None:
    action, thing, scene = action_look("chop"), vessel_look("pan"), scene_look("talk")
    assert not (action * thing).any()
    assert not (action * scene).any()
    assert not (thing * scene).any()


def test_the_vocabulary_is_fixed() -> None:
    # Features made yesterday must fit the models of today: a change here needs a new version of the vocabulary.
    assert action_look("chop")[:3] == pytest.approx([0.178282, -0.021989, -0.140892], abs=1e-5)
    assert food_look(food("salt"))[THING][:3] == pytest.approx([-0.055562, -0.081848, 0.064262], abs=1e-5)
