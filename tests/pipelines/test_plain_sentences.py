"""Sentences from what is seen: little seen, little said."""

from hypothesis import given
from hypothesis import strategies as st

from cookscribe.pipelines.plain_sentences import KIN, KIN_SAID, SAID, plain_sentence

WORDS = st.sampled_from([("fry", "action"), ("cut", "action"), ("onion", "food"), ("beef", "food"), ("pan", "tool")])


def test_what_is_seen_clearly_is_said() -> None:
    seen = [("fry", 0.6, "action"), ("onion", 0.5, "food"), ("pan", 0.7, "tool"), ("beef", 0.1, "food")]
    sentence, sure = plain_sentence(seen)
    assert sentence == "fry the onion in the pan"
    assert abs(sure - 0.6 * 0.5 * 0.7) < 1e-9


def test_little_seen_little_said() -> None:
    assert plain_sentence([("fry", 0.6, "action"), ("pan", 0.5, "tool")])[0] == "fry it in the pan"
    assert plain_sentence([("fry", 0.5, "action"), ("pan", 0.5, "tool")])[0] == "cook it in the pan"
    assert plain_sentence([("add", 0.7, "action"), ("pan", 0.5, "tool")])[0] == "add the next ingredient to the pan"
    assert plain_sentence([("onion", 0.5, "food")])[0] == "prepare the onion"
    assert plain_sentence([("add", 0.5, "action")])[0] == "go on as shown, perhaps add the next ingredient"
    assert plain_sentence([("cut", 0.7, "action")])[0] == "go on as shown, perhaps cut it"
    assert plain_sentence([("cut", 0.7, "action"), ("pan", 0.7, "tool")])[0] == "go on as shown, perhaps cut it"
    assert plain_sentence([("cut", 0.7, "action"), ("beef", 0.7, "food"), ("pan", 0.7, "tool")])[0] == "cut the beef"
    assert plain_sentence([("plate", 0.5, "tool")])[0] == "go on as shown with the plate"
    assert plain_sentence([("pan", 0.5, "tool")])[0] == "cook it in the pan"
    assert plain_sentence([]) == ("go on as shown", 0.0)


def likely_kin(name: str, seen: list[tuple[str, float, str]]) -> bool:
    for kind, kin in KIN.items():
        members = kin.get(name, "").split(", ")
        none = 1.0
        for word, sure in {w: p for w, p, k in seen if k == kind}.items():
            none *= 1 - sure if word in members else 1.0
        if 1 - none >= KIN_SAID - 1e-9:
            return True
    return False


def test_where_no_word_is_likely_but_its_kin_is_the_kin_is_named() -> None:
    seen = [("chop", 0.4, "action"), ("slice", 0.4, "action"), ("onion", 0.4, "food"), ("carrot", 0.3, "food")]
    sentence, sure = plain_sentence(seen)
    assert sentence == "cut the vegetables"
    assert abs(sure - 0.64 * 0.58) < 1e-9
    assert plain_sentence([("chop", 0.4, "action"), ("mix", 0.4, "action")])[0] == "go on as shown", (
        "no kin of each other"
    )


@given(st.lists(st.tuples(WORDS, st.floats(0, 1)), max_size=8))
def test_nothing_doubtful_is_named(seen: list[tuple[tuple[str, str], float]]) -> None:
    given_words = [(word, sure, kind) for (word, kind), sure in seen]
    sentence, sure = plain_sentence(given_words)
    for word in ("onion", "beef", "pan", "fry", "cut"):
        likely = any(w == word and p >= SAID[kind] for w, p, kind in given_words)
        # "Cut" and "pan" are names of kin, too.
        assert word not in sentence.split() or likely or likely_kin(word, given_words)
    assert 0 <= sure <= 1
