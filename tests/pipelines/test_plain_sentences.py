"""Sentences from what is seen: little seen, little said."""

from hypothesis import given
from hypothesis import strategies as st

from cookscribe.pipelines.plain_sentences import SAID, plain_sentence

WORDS = st.sampled_from([("fry", "action"), ("cut", "action"), ("onion", "food"), ("beef", "food"), ("pan", "tool")])


def test_what_is_seen_clearly_is_said() -> None:
    seen = [("fry", 0.6, "action"), ("onion", 0.5, "food"), ("pan", 0.7, "tool"), ("beef", 0.1, "food")]
    sentence, sure = plain_sentence(seen)
    assert sentence == "fry the onion in the pan"
    assert abs(sure - 0.6 * 0.5 * 0.7) < 1e-9


def test_little_seen_little_said() -> None:
    assert plain_sentence([("fry", 0.5, "action"), ("pan", 0.5, "tool")])[0] == "fry it in the pan"
    assert plain_sentence([("onion", 0.5, "food")])[0] == "prepare the onion"
    assert plain_sentence([("add", 0.5, "action")])[0] == "add the next ingredient"
    assert plain_sentence([("plate", 0.5, "tool")])[0] == "cook it on the plate"
    assert plain_sentence([]) == ("go on as shown", 0.0)


@given(st.lists(st.tuples(WORDS, st.floats(0, 1)), max_size=8))
def test_nothing_doubtful_is_named(seen: list[tuple[tuple[str, str], float]]) -> None:
    given_words = [(word, sure, kind) for (word, kind), sure in seen]
    sentence, sure = plain_sentence(given_words)
    for word in ("onion", "beef", "pan", "fry", "cut"):
        if word in sentence.split():
            assert any(w == word and p >= SAID[kind] for w, p, kind in given_words)
    assert 0 <= sure <= 1
