"""What things are called: names are unambiguous, and a text keeps its meaning under other names."""

import re
from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from cookscribe.seeds import generator
from cookscribe_lab.kitchen_films.food_table import FOODS
from cookscribe_lab.kitchen_films.names import ALL_NAMES, BY_KIND, NAMES, Naming, call, kind_of, renamed, single
from cookscribe_lab.kitchen_films.recipes import PLAIN, make_recipe


def test_every_kind_has_names_and_no_name_stands_for_two() -> None:
    assert set(NAMES) == set(FOODS)
    assert len(set(ALL_NAMES)) == len(ALL_NAMES) > 300
    assert all(names[0] == kind for kind, names in NAMES.items())
    assert {kind for kind, names in NAMES.items() if len(names) < 4} == {"water", "eggs"}
    assert all(kind_of(name) == kind for kind, names in NAMES.items() for name in names)
    assert all(re.fullmatch(r"[a-z]+( [a-z]+)*", name) for name in ALL_NAMES)


def test_all_names_of_a_kind_are_equally_likely() -> None:
    rng = generator("drawing names")
    counts = Counter(call(rng)["cheese"] for _ in range(1400))
    assert set(counts) == set(NAMES["cheese"])
    assert max(counts.values()) < 2 * min(counts.values())


def test_longer_names_are_not_taken_apart() -> None:
    naming = Naming({"beef": "bison", "tomatoes": "tomatoes", "honey": "maple syrup", "noodles": "udon"})
    assert naming("fry the ground beef and beef in honey") == "fry the ground beef and bison in maple syrup"
    assert naming("pour tomato sauce over the noodles") == "pour tomato sauce over the udon"
    assert naming("serve the noodle soup") == "serve the udon soup"
    back = Naming({"udon": "noodles"})
    assert back("boil the udon and serve the udon soup") == "boil the noodles and serve the noodle soup"
    assert naming("boil the honeycomb") == "boil the honeycomb"
    assert naming("heat maple syrup") == "heat maple syrup", "a name that is there already is not named again"


def test_the_word_before_another_noun() -> None:
    assert [single(name) for name in ("strawberries", "radishes", "tomatoes", "onion", "couscous", "edamame")] == [
        "strawberry", "radish", "tomato", "onion", "couscous", "edamame"
    ]  # fmt: skip


@given(st.integers(0, 10_000), st.integers(0, 50), st.sampled_from(["plain", "varied"]), st.integers(0, 2**32))
def test_another_name_tells_the_same_story(seed: int, number: int, wording: str, other: int) -> None:
    """Naming there and back again changes nothing, and every ingredient goes by its name."""
    video = make_recipe(seed, number, wording=wording).annotated()
    called = call(np.random.default_rng(other))
    told = renamed(video, called)
    assert [kind_of(name) for name in told.ingredients] == [kind_of(name) for name in video.ingredients]
    assert renamed(told, {kind_of(name): name for name in video.ingredients}).sentences == video.sentences
    for before, after in zip(video.sentences, told.sentences, strict=True):
        for name in video.ingredients:
            if called[kind_of(name)] != name and not any(name in longer for longer in told.ingredients):
                assert not re.search(rf"\b{name}\b", after), (before, after)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.integers(0, 50))
def test_names_do_not_change_what_is_cooked(seed: int, number: int) -> None:
    recipe = make_recipe(seed, number, wording=PLAIN)
    assert recipe.names == tuple(recipe.called[kind] for kind in recipe.ingredients)
    assert recipe.annotated().ingredients == recipe.names
    assert set(recipe.ingredients) <= set(FOODS)
    by_kind = renamed(recipe.annotated(), BY_KIND)
    assert by_kind.ingredients == recipe.ingredients
