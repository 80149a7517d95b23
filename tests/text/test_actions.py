"""Actions in sentences: any form of the verb, and not the noun that is spelt like it."""

from pathlib import Path

import pytest

from cookscribe.errors import BadFileError
from cookscribe.text.actions import ActionMatcher, packaged_verbs, read_action_list
from cookscribe.text.inflection import Form, verb_forms
from cookscribe.text.tokens import ptb_tokens

FORMS = """
chop chops chopping chopped / fry fries frying fried / mix mixes mixing mixed / bake bakes baking baked
season seasons seasoning seasoned / boil boils boiling boiled / transfer transfers transferring transferred
cut cuts cutting / put puts putting / beat beats beating beaten / freeze freezes freezing froze frozen
grind grinds grinding ground / stir-fry stir-fries stir-frying stir-fried / puree purees pureeing pureing pureed
tie ties tying tied / toss tosses tossing tossed / quarter quarters quartering quartered / wrap wraps wrapping wrapped
brew brews brewing brewed
"""
ACTIONS = """
add bake beat boil bread brown butter chop cool cover cut deep-fry fry grill grind heat leave melt mix oil pepper put
ring roll salt saute season serve slice spread stir stir-fry stuff toast top turn water
"""
VERBS = ACTIONS.split()


@pytest.mark.parametrize("forms", FORMS.strip().replace("\n", " / ").split(" / "))
def test_forms(forms: str) -> None:
    verb = forms.split()[0]
    assert list(verb_forms(verb)) == forms.split()
    assert verb_forms(verb)[verb] is Form.BASE


def found(sentence: str) -> list[tuple[str, str]]:
    tokens = ptb_tokens(sentence)
    mentions = ActionMatcher(VERBS).find(sentence)
    return [(VERBS[m.action], " ".join(tokens[place] for place in m.positions)) for m in mentions]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Chop and FRY the onions.", ["chop", "fry"]),
        ("add chopped garlic and two beaten eggs", ["add", "chop", "beat"]),
        ("put the ground pork in boiling water", ["put", "grind", "boil"]),
        ("spread the paste then leave it to cool", ["spread", "leave", "cool"]),
        ("heat the pan until the butter melts", ["heat", "melt"]),
        ("bring it to a boil", ["boil"]),
    ],
)
def test_any_form_counts(sentence: str, expected: list[str]) -> None:
    assert [verb for verb, _ in found(sentence)] == expected


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("add oil salt pepper and water", ["add"]),
        ("oil the pan and salt the meat", ["oil", "salt"]),
        ("add bay leaves and onion rings", ["add"]),
        ("turn off the heat", ["turn"]),
        ("put them on top of the bread", ["put"]),
        ("top with cheese", ["top"]),
        ("flip the egg roll on the grill", []),
        ("grill it and roll it up", ["grill", "roll"]),
        ("brown the mince", ["brown"]),
        ("cover until golden brown", ["cover"]),
        ("use a frying pan a baking sheet and a rolling pin", []),
        ("add the stuffing and the seasoning", ["add"]),
        ("butter two slices of toast", ["butter"]),
        ("toast the buttered bread", ["toast", "butter"]),
    ],
)
def test_nouns_spelt_like_verbs_do_not_count(sentence: str, expected: list[str]) -> None:
    assert [verb for verb, _ in found(sentence)] == expected


def test_two_words_of_one_verb() -> None:
    assert found("stir fry the rice") == [("stir-fry", "stir fry")]
    assert found("serve stir-fried rice") == [("serve", "serve"), ("stir-fry", "stir-fried")]
    assert found("stir and fry the rice") == [("stir", "stir"), ("fry", "fry")]
    assert found("deep fried fish") == [("deep-fry", "deep fried")]


def test_nothing_to_find() -> None:
    assert ActionMatcher(VERBS).find("") == ()
    assert ActionMatcher([]).find("fry the egg") == ()
    assert ActionMatcher(VERBS).named("fry the egg and fry the ham") == {VERBS.index("fry")}


def test_the_packaged_verbs() -> None:
    verbs = packaged_verbs()
    assert len(verbs) > 300
    assert list(verbs) == sorted(set(verbs))
    assert {"add", "chop", "stir-fry", "whisk"} <= set(verbs)
    matcher = ActionMatcher(verbs)
    assert {verbs[n] for n in matcher.named("dice the leeks and simmer them")} == {"dice", "simmer"}


@pytest.mark.parametrize("content", ["{}", "[]", '["fry", 3]', '["fry", " "]', '["fry", "fry"]'])
def test_a_wrong_action_list_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "actions.json"
    path.write_text(content)
    with pytest.raises(BadFileError, match=r"actions\.json"):
        read_action_list(path)
    path.write_text('["fry", "boil"]')
    assert read_action_list(path) == ("fry", "boil")
