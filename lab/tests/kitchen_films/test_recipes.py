"""Made-up recipes: rules hold in every one of them, truth is complete, splits hold out combinations."""

import json
import re
from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cookscribe.errors import BadFileError, BadValueError
from cookscribe.files import write_json
from cookscribe.learning.datasets.youcook2 import read_truth
from cookscribe_lab.kitchen_films.actions import ACTIONS
from cookscribe_lab.kitchen_films.dishes import DISHES
from cookscribe_lab.kitchen_films.food_table import FOODS, Kind
from cookscribe_lab.kitchen_films.recipes import (
    WORDINGS,
    MadeUpRecipe,
    make_recipe,
    make_recipes,
    read_recipes,
    split_of,
    truth,
)
from cookscribe_lab.kitchen_films.splits import CHOICES, HELD_OUT, SPLITS, TESTING, TRAINING, VALIDATION
from cookscribe_lab.kitchen_films.states import Act, Cut, Form, Heat, ItemState, Place
from cookscribe_lab.kitchen_films.world import contents, fresh, perform, problem

RECIPES = st.builds(
    make_recipe,
    seed=st.integers(0, 10_000),
    number=st.integers(0, 50),
    split=st.sampled_from(SPLITS),
    tempo=st.sampled_from([1.0, 3.5]),
    wording=st.sampled_from(WORDINGS),
)


@pytest.fixture(scope="module")
def collection() -> list[MadeUpRecipe]:
    return list(make_recipes(7, 200))


# -- the rules


@given(RECIPES)
def test_every_act_meets_its_preconditions_and_truth_is_what_the_acts_make(recipe: MadeUpRecipe) -> None:
    state = fresh(recipe.ingredients)
    for number, step in enumerate(recipe.steps):
        assert recipe.before(number) == state
        for act in step.acts:
            assert problem(state, act) == ""
            after = perform(state, act)
            assert after != state, f"{act} changes nothing"
            state = after
        assert step.after == state
        assert set(step.after) == set(recipe.ingredients)


@given(RECIPES)
def test_common_sense_that_the_tables_do_not_spell_out(recipe: MadeUpRecipe) -> None:
    """Independent of the tables of actions: what any cook would object to."""
    knife_marks = {Cut.SLICED, Cut.CHOPPED, Cut.GRATED, Cut.MASHED}
    for number, step in enumerate(recipe.steps):
        before = recipe.before(number)
        for name, item in step.after.items():
            kind = FOODS[name].kind
            if kind in (Kind.LIQUID, Kind.POWDER, Kind.SAUCE):
                assert item.cut is Cut.WHOLE
            if item.cut in knife_marks and kind is Kind.EGG:
                assert item.heat is Heat.BOILED, "a raw egg is not sliced"
            if before[name].cut in knife_marks:
                assert item.cut in knife_marks, "what is cut does not become whole again"
            if before[name].heat is not Heat.RAW:
                assert item.heat is not Heat.RAW, "what is cooked does not become raw again"
            if before[name].place is Place.SINK:
                assert item.place is Place.SINK
        for act in step.acts:
            if act.action == "flip":
                assert all(before[name].place is Place.PAN or len(step.acts) > 1 for name in act.items)
    last = recipe.steps[-1].after
    meat = [name for name in last if FOODS[name].kind is Kind.MEAT and name != "ham"]
    assert all(last[name].heat is not Heat.RAW for name in meat), f"raw {meat} is served in {recipe.title}"


def test_wrong_acts_are_refused_with_the_reason() -> None:
    state = fresh(["onion", "eggs", "flour", "water", "pasta", "beef", "oil", "bread", "cheese"])
    cases = {
        Act("slice", ("flour",), Place.BOARD): "flour cannot be used to slice",
        Act("chop", ("onion",), Place.PAN): "one does not chop in the pan",
        Act("boil", ("pasta",), Place.POT): "hot water must be in it",
        Act("fry", ("beef",), Place.PAN): "hot fat must be in it",
        Act("whisk", ("flour",), Place.BOWL): "is in the counter, not in the bowl",
        Act("layer", ("cheese",), Place.PLATE, base=("bread",)): "a base to put things on must be in it",
        Act("peel", ("rice",), Place.BOARD): "there is no rice",
        Act("juggle", ("eggs",), Place.BOARD): "no such action",
        Act("add", (), Place.BOWL): "it acts on nothing",
    }
    for act, reason in cases.items():
        assert reason in problem(state, act)
        with pytest.raises(BadValueError, match=re.escape(reason)):
            perform(state, act)
    with_egg = perform(perform(state, Act("add", ("eggs",), Place.BOWL)), Act("add", ("flour",), Place.BOWL))
    assert "uncracked egg" in problem(with_egg, Act("mix", ("eggs", "flour"), Place.BOWL))
    chopped = perform(state, Act("chop", ("onion",), Place.BOARD))
    assert "chopped already" in problem(chopped, Act("slice", ("onion",), Place.BOARD))


def test_effects_of_a_small_meal_written_out_by_hand() -> None:
    state = fresh(["pasta", "water", "garlic", "butter"])
    for act in (
        Act("heat", ("water",), Place.POT),
        Act("boil", ("pasta",), Place.POT),
        Act("drain", ("pasta",), Place.POT),
        Act("chop", ("garlic",), Place.BOARD),
        Act("melt", ("butter",), Place.PAN),
        Act("fry", ("garlic",), Place.PAN),
        Act("add", ("pasta",), Place.PAN),
        Act("stir", ("butter", "garlic", "pasta"), Place.PAN, mixture="garlic pasta"),
    ):
        state = perform(state, act)
    assert state == {
        "water": ItemState(heat=Heat.HOT, place=Place.SINK),
        "butter": ItemState(heat=Heat.MELTED, form=Form.MIXED, place=Place.PAN, mixture="garlic pasta"),
        "garlic": ItemState(Cut.CHOPPED, Heat.FRIED, Form.MIXED, Place.PAN, "garlic pasta"),
        "pasta": ItemState(heat=Heat.BOILED, form=Form.MIXED, place=Place.PAN, mixture="garlic pasta"),
    }
    assert contents(state, Place.PAN) == ("butter", "garlic", "pasta"), "in order of arrival"


# -- sentences


@given(RECIPES)
def test_sentences_are_plain_imperatives_about_the_step(recipe: MadeUpRecipe) -> None:
    verbs = {
        "peel", "slice", "cut", "thinly", "chop", "finely", "dice", "grate", "shred", "crack", "break", "add", "put",
        "place", "pour", "season", "sprinkle", "top", "squeeze", "whisk", "beat", "mix", "combine", "toss", "stir",
        "mash", "blend", "knead", "roll", "shape", "form", "make", "coat", "dip", "cover", "heat", "melt", "fry",
        "saute", "cook", "flip", "turn", "boil", "bring", "simmer", "drain", "bake", "toast", "spread", "lay", "close",
        "wrap", "fold", "remove", "take", "serve", "transfer", "garnish", "drizzle",
    }  # fmt: skip
    for step in recipe.steps:
        assert re.fullmatch(r"[a-z]+( [a-z]+)*", step.sentence), step.sentence
        assert step.sentence.split()[0] in verbs, step.sentence
        assert len(step.sentence.split()) <= 32
        # What is said of an ingredient is true: no ingredient is named that the vessel and the acts do not know.
        near = set(step.ingredients)
        for act in step.acts:
            near |= set(contents(step.after, act.place)) | set(
                contents(recipe.before(recipe.steps.index(step)), act.place)
            )
        mixtures = {step.after[kind].mixture for kind in near} | {act.mixture for act in step.acts}
        mixtures, near = {recipe.naming(mixture) for mixture in mixtures}, {recipe.called[kind] for kind in near}
        words = step.sentence
        for mixture in sorted(mixtures, key=len, reverse=True):
            words = words.replace(mixture, "") if mixture else words
        for name in recipe.names:
            if re.search(rf"\b{name}\b", words) and name not in near:
                longer = [other for other in near if name in other and name != other]
                assert longer, f"{step.sentence!r} names {name}"


def test_most_steps_name_their_ingredients(collection: list[MadeUpRecipe]) -> None:
    named = [
        any(recipe.called[kind] in step.sentence for kind in step.ingredients)
        for recipe in collection
        for step in recipe.steps
    ]
    assert 0.7 < np.mean(named) < 0.98


# -- time


@given(RECIPES)
def test_steps_and_interludes_tile_the_video(recipe: MadeUpRecipe) -> None:
    spans = sorted(
        [(s.span.start, s.span.end) for s in recipe.steps] + [(i.span.start, i.span.end) for i in recipe.interludes]
    )
    assert spans[0][0] == 0
    assert spans[-1][1] == recipe.duration
    assert all(left[1] == right[0] for left, right in pairwise(spans))
    assert all(2.999 <= step.span.length <= 60.001 for step in recipe.steps)
    assert [step.span.start for step in recipe.steps] == sorted(step.span.start for step in recipe.steps)


def test_about_half_of_the_time_is_no_step(collection: list[MadeUpRecipe]) -> None:
    shares = [sum(step.span.length for step in recipe.steps) / recipe.duration for recipe in collection]
    assert 0.45 < np.mean(shares) < 0.55
    kinds = Counter(interlude.kind for recipe in collection for interlude in recipe.interludes)
    assert len(kinds) == 7
    assert min(kinds.values()) > 30


def test_a_brisker_tempo_gives_shorter_videos_of_the_same_recipe() -> None:
    slow, brisk = make_recipe(3, 4), make_recipe(3, 4, tempo=3.5)
    assert slow.signature == brisk.signature
    assert brisk.duration < 0.5 * slow.duration
    with pytest.raises(BadValueError, match="tempo"):
        make_recipe(3, tempo=0.0)


# -- collections and splits


def test_same_seed_same_recipes_another_seed_others(collection: list[MadeUpRecipe]) -> None:
    again = list(make_recipes(7, 40))
    assert json.dumps(truth(again)) == json.dumps(truth(collection[:40])), "a prefix of a longer collection"
    other = {recipe.signature for recipe in make_recipes(8, 200)}
    assert len(other & {recipe.signature for recipe in collection}) < 20, "short dishes may meet by chance"


def test_many_recipes_are_distinct_and_use_the_whole_kitchen() -> None:
    recipes = list(make_recipes(1, 1000))
    assert len({recipe.signature for recipe in recipes}) == len({recipe.id for recipe in recipes}) == 1000
    assert {recipe.dish for recipe in recipes} == set(DISHES)
    assert {act.action for recipe in recipes for step in recipe.steps for act in step.acts} == set(ACTIONS)
    assert {name for recipe in recipes for name in recipe.ingredients} == set(FOODS)
    # Every combination that is held out is asked for, and training knows its parts; only their meeting is new.
    for split in (VALIDATION, TESTING):
        asked = {pair for recipe in make_recipes(4, 250, split=split) for pair in recipe.pairs}
        assert HELD_OUT[split] <= asked
    pairs = {pair for recipe in recipes if recipe.split == TRAINING for pair in recipe.pairs}
    for action, name in HELD_OUT[VALIDATION] | HELD_OUT[TESTING]:
        assert action in {action for kind in CHOICES.values() for action in kind}
        assert any(pair[0] == action for pair in pairs)
        assert any(pair[1] == name for pair in pairs)


def test_held_out_combinations_never_occur_in_training(collection: list[MadeUpRecipe]) -> None:
    by_split = {split: [r for r in collection if r.split == split] for split in SPLITS}
    assert [len(by_split[split]) for split in SPLITS] == [160, 20, 20]
    held = HELD_OUT[VALIDATION] | HELD_OUT[TESTING]
    assert not HELD_OUT[VALIDATION] & HELD_OUT[TESTING]
    seen = {pair for recipe in by_split[TRAINING] for pair in recipe.pairs}
    assert not seen & held
    for split, other in ((VALIDATION, TESTING), (TESTING, VALIDATION)):
        for recipe in by_split[split]:
            assert recipe.pairs & HELD_OUT[split], "each asks for a combination that training never showed"
            assert not recipe.pairs & HELD_OUT[other]
    signatures = {split: {r.signature for r in by_split[split]} for split in SPLITS}
    assert not signatures[TRAINING] & (signatures[VALIDATION] | signatures[TESTING])
    assert not signatures[VALIDATION] & signatures[TESTING]


@pytest.mark.parametrize("number", [0, 8, 9, 17, 18, 19])
def test_split_of_a_position(number: int) -> None:
    expected = {8: VALIDATION, 9: TESTING}.get(number % 10, TRAINING)
    assert split_of(number) == expected
    assert make_recipe(0, number, split_of(number)).split == expected


def test_unknown_split_is_refused() -> None:
    with pytest.raises(BadValueError, match="must be one of training, validation, testing"):
        make_recipe(0, split="train")


# -- files


def test_truth_reads_as_an_activitynet_file_and_keeps_its_label(tmp_path: Path, collection: list[MadeUpRecipe]) -> None:
    path = tmp_path / "recipes.json"
    write_json(path, truth(collection[:20]))
    plain, labelled = read_truth(path), read_recipes(path)
    for recipe in collection[:20]:
        expected = recipe.annotated()
        for video in (plain[recipe.id], labelled[recipe.id]):
            assert video.sentences == expected.sentences
            assert video.ingredients == expected.ingredients
            np.testing.assert_array_equal(video.spans, expected.spans)
        video = labelled[recipe.id]
        assert video.simulated
        assert (video.split, video.recipe_type) == (recipe.split, recipe.dish)
    entry = json.loads(path.read_text())[collection[0].id]
    assert entry["simulated"] is True
    states = entry["steps"][-1]["states"]
    assert set(states) == set(collection[0].names) == set(entry["ingredients"])
    assert [entry["looks_like"][name] for name in entry["ingredients"]] == list(collection[0].ingredients)
    assert set(next(iter(states.values()))) == {"cut", "heat", "form", "place", "mixture"}


def test_real_annotations_are_not_taken_for_made_up_ones(tmp_path: Path) -> None:
    path = tmp_path / "real.json"
    write_json(path, {"abc": {"duration": 9.0, "timestamps": [[1.0, 2.0]], "sentences": ["wash the rice"]}})
    with pytest.raises(BadFileError, match="not marked as simulated"):
        read_recipes(path)
