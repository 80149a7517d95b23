"""Ingredients in sentences: which one is meant, and by which words."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cookscribe.text.ingredients import IngredientMatcher, canonical
from cookscribe.text.tokens import ptb_tokens


def found(sentence: str, *ingredients: str, partial: bool = True) -> dict[str, str]:
    """Name of each ingredient found -> the words that name it."""
    tokens = ptb_tokens(sentence)
    mentions = IngredientMatcher(ingredients, partial=partial).find(sentence)
    return {ingredients[m.ingredient]: " ".join(tokens[place] for place in m.positions) for m in mentions}


NUMBERS = (
    "tomato tomatoes, potato potatos, leaf leaves, berry berries, cookie cookies, chili chilies, chilli chillies, "
    "radish radishes, peach peaches, box boxes, cheese cheeses, sauce sauces, egg eggs, anchovy anchovies, "
    "quiche quiches, mango mangoes"
)


@pytest.mark.parametrize("pair", NUMBERS.split(", "))
def test_both_numbers_have_one_spelling(pair: str) -> None:
    one, many = pair.split()
    assert canonical(one) == canonical(many)


def test_different_words_stay_different() -> None:
    words = [
        "pea",
        "pear",
        "peach",
        "bass",
        "basil",
        "swiss",
        "oat",
        "oil",
        "roe",
        "rose",
        "rice",
        "ice",
        "couscous",
        "corn",
    ]
    assert len({canonical(word) for word in words}) == len(words)


def test_whole_names_in_any_number() -> None:
    assert found("slice two tomatoes and an Onion.", "tomato", "onions") == {"tomato": "tomatoes", "onions": "onion"}
    assert found("tear the bay leaf", "bay leaves") == {"bay leaves": "bay leaf"}


def test_a_name_inside_another_word_is_not_named() -> None:
    assert found("boil the eggplant", "oil", "egg", "plant") == {}


def test_longer_names_win() -> None:
    assert found("pour the beef stock over the beef", "beef", "beef stock") == {
        "beef stock": "beef stock",
        "beef": "beef",
    }
    assert found("pour the beef stock", "beef", "beef stock") == {"beef stock": "beef stock"}


def test_parts_of_a_name() -> None:
    assert found("melt the cheese", "parmesan cheese") == {"parmesan cheese": "cheese"}
    assert found("grate the parmesan", "parmesan cheese") == {"parmesan cheese": "parmesan"}
    assert found("warm the olive oil", "extra virgin olive oil") == {"extra virgin olive oil": "olive oil"}
    assert found("melt the cheese", "parmesan cheese", partial=False) == {}
    assert found("melt the parmesan cheese", "cheese") == {"cheese": "cheese"}


def test_parts_that_say_too_little_are_left() -> None:
    assert found("stir the white sauce", "white bread", "soy sauce") == {}
    assert found("fry the onions", "red onion", "spring onions") == {}
    assert found("pour the chicken stock", "chicken breast") == {}
    # ... but of two names that share a word, the one that ends in it is meant.
    assert found("carve the chicken", "chicken livers", "roast chicken") == {"roast chicken": "chicken"}


def test_every_place_is_reported_and_repeats_in_the_list_too() -> None:
    mentions = IngredientMatcher(["pepper", "salt", "pepper"]).find("pepper and salt then more pepper")
    assert [(m.ingredient, m.positions) for m in mentions] == [(0, (0,)), (2, (0,)), (1, (2,)), (0, (5,)), (2, (5,))]
    assert all(m.whole for m in mentions)


def test_empty_things() -> None:
    assert IngredientMatcher([]).find("fry the egg") == ()
    assert IngredientMatcher(["egg", "", "..."]).find("") == ()


names = st.lists(
    st.sampled_from(["red onion", "onion", "olive oil", "oil", "bay leaves", "egg yolk", "eggs"]), max_size=6
)
sentences = st.lists(
    st.sampled_from(["add", "red", "onions", "onion", "oil", "olive", "and", "egg", "yolks", "bay", "leaf", "stock"]),
    max_size=14,
).map(" ".join)


@given(names, sentences, st.booleans())
@settings(max_examples=150)
def test_mentions_are_sound(ingredients: list[str], sentence: str, partial: bool) -> None:
    tokens = ptb_tokens(sentence)
    taken: dict[int, str] = {}
    for mention in IngredientMatcher(ingredients, partial=partial).find(sentence):
        name = ingredients[mention.ingredient]
        words = [canonical(tokens[place]) for place in mention.positions]
        expected = [canonical(word) for word in ptb_tokens(name)]
        assert mention.positions == tuple(range(mention.positions[0], mention.positions[-1] + 1))
        assert words == expected if mention.whole else set(words) <= set(expected)
        assert partial or mention.whole
        for place in mention.positions:
            assert taken.setdefault(place, name) == name
