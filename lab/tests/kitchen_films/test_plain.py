"""The plain wording: a function of what is done and what is seen, about the same films as the varied one."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cookscribe.errors import BadValueError
from cookscribe.files import read_json
from cookscribe_lab.kitchen_films.plain import plain_sentence
from cookscribe_lab.kitchen_films.recipes import PLAIN, make_recipe, make_recipes
from cookscribe_lab.kitchen_films.states import Act, Cut, Form, Heat, ItemState, Place
from tests.command import run_command

BOARD, BOWL, PAN, POT, PLATE = Place.BOARD, Place.BOWL, Place.PAN, Place.POT, Place.PLATE
COUNTER = ItemState()
CHOPPED, SLICED = ItemState(cut=Cut.CHOPPED, place=BOARD), ItemState(cut=Cut.SLICED, place=BOARD)
IN_BOWL = ItemState(cut=Cut.SLICED, place=BOWL)
HOT_OIL = ItemState(heat=Heat.HOT, place=PAN)


@pytest.mark.parametrize(
    ("before", "acts", "expected"),
    [
        ({"onion": COUNTER}, [Act("chop", ("onion",), BOARD)], "chop the onion"),
        ({"onion": CHOPPED}, [Act("add", ("onion",), BOWL)], "add the chopped onion to a bowl"),
        (
            {"cabbage": IN_BOWL, "onion": CHOPPED, "carrots": CHOPPED},
            [Act("add", ("onion", "carrots"), BOWL)],
            "add the chopped onion and carrots to the sliced cabbage",
        ),
        (
            {"cabbage": IN_BOWL, "vinegar": COUNTER, "oil": COUNTER},
            [Act("pour", ("vinegar", "oil"), BOWL), Act("toss", ("cabbage", "vinegar", "oil"), BOWL, mixture="salad")],
            "pour vinegar and oil over the sliced cabbage and toss",
        ),
        (
            {"oil": COUNTER, "beef": SLICED},
            [Act("heat", ("oil",), PAN), Act("fry", ("beef",), PAN)],
            "heat oil in a pan and fry the sliced beef in it",
        ),
        ({"oil": HOT_OIL, "beef": SLICED}, [Act("fry", ("beef",), PAN)], "fry the sliced beef in the pan"),
        (
            {"oil": HOT_OIL, "bacon": ItemState(heat=Heat.FRIED, place=PAN), "onion": CHOPPED, "salt": COUNTER},
            [Act("fry", ("onion",), PAN), Act("season", ("salt",), PAN)],
            "fry the chopped onion with the fried bacon and season them with salt",
        ),
        (
            {"tomatoes": ItemState(form=Form.MIXED, place=PLATE, mixture="salad"), "parsley": COUNTER},
            [Act("sprinkle", ("parsley",), PLATE)],
            "garnish the salad with parsley",
        ),
        (
            {"buns": COUNTER, "mustard": COUNTER},
            [Act("add", ("buns",), PLATE), Act("spread", ("mustard",), PLATE, ("buns",))],
            "add the buns to a plate and spread mustard on them",
        ),
        ({"water": COUNTER}, [Act("heat", ("water",), POT)], "bring water to a boil"),
    ],
)
def test_what_is_seen_decides_what_is_said(before: dict[str, ItemState], acts: list[Act], expected: str) -> None:
    assert plain_sentence(acts, before) == expected


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.integers(0, 50))
def test_it_tells_the_very_same_film(seed: int, number: int) -> None:
    """Acts, states and times are those of the varied recipe, so that one film serves both."""
    varied, plain = make_recipe(seed, number), make_recipe(seed, number, wording=PLAIN)
    assert [(step.acts, step.span, step.after) for step in varied.steps] == [
        (step.acts, step.span, step.after) for step in plain.steps
    ]
    assert (varied.interludes, varied.bystanders, varied.ingredients) == (
        plain.interludes,
        plain.bystanders,
        plain.ingredients,
    )
    for place, step in enumerate(plain.steps):
        assert step.sentence == plain.naming(plain_sentence(step.acts, plain.before(place)))
        assert len(step.sentence.split()) <= 20


def test_it_stays_a_rich_language() -> None:
    """Nothing is luck any more, and still most sentences of a collection are met a few times only."""
    steps = [step for recipe in make_recipes(5, 400, wording=PLAIN) for step in recipe.steps]
    told = {step.sentence for step in steps}
    assert len(told) > 0.3 * len(steps)
    assert sum("ingredients" in sentence for sentence in told) < 0.05 * len(told)


def test_only_known_wordings() -> None:
    with pytest.raises(BadValueError, match="must be one of varied, plain"):
        make_recipe(0, wording="baroque")


def test_the_command_says_which_wording(tmp_path: Path) -> None:
    for wording in ("varied", PLAIN):
        out = tmp_path / f"{wording}.json"
        run_command("kitchen", "recipes", "--count", 2, "--wording", wording, "--out", out)
        assert [entry.get("wording", "varied") for entry in read_json(out).values()] == [wording] * 2
