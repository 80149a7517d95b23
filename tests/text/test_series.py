"""Commas stand between the ingredients of a series, and nowhere else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cookscribe.text.series import with_commas
from cookscribe.text.tokens import ptb_tokens

LIST = ("salt", "black pepper", "sugar", "soy sauce", "ginger", "garlic", "ginger garlic paste", "onions", "cheese")


@pytest.mark.parametrize(
    ("plain", "written"),
    [
        ("add salt black pepper and sugar to the soup", "add salt, black pepper and sugar to the soup"),
        ("add soy sauce salt sugar and some grated cheese", "add soy sauce, salt, sugar and some grated cheese"),
        ("add ginger garlic paste and salt", "add ginger garlic paste and salt"),
        ("add ginger garlic and onion", "add ginger, garlic and onion"),
        ("add salt and sugar", "add salt and sugar"),
        ("add the onions sugar and stir", "add the onions sugar and stir"),
        ("fry ginger garlic and onions and add salt sugar and cheese", None),
        ("add oil salt sugar and cheese", "add oil salt sugar and cheese"),  # oil is no ingredient: one thing or two?
        ("Add salt, sugar and cheese.", "Add salt, sugar and cheese."),
        ("Add salt sugar and cheese.", "Add salt sugar and cheese."),  # somebody's own, with a mark
        ("serve", "serve"),
    ],
)
def test_series(plain: str, written: str | None) -> None:
    both = "fry ginger, garlic and onions and add salt, sugar and cheese"
    assert with_commas(plain, LIST) == (both if written is None else written)


def test_without_ingredients_nothing_changes() -> None:
    assert with_commas("add salt sugar and cheese", ()) == "add salt sugar and cheese"


@given(st.lists(st.sampled_from(["add", "and", "oil", "the", *" ".join(LIST).split()]), max_size=14))
def test_evaluators_see_the_same_sentence(words: list[str]) -> None:
    plain = " ".join(words)
    assert ptb_tokens(with_commas(plain, LIST)) == ptb_tokens(plain)
    assert with_commas(with_commas(plain, LIST), LIST) == with_commas(plain, LIST)
