"""The vocabulary: counts, numbers, and back to words."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cookscribe.errors import BadFileError, BadValueError
from cookscribe.text.tokens import ptb_tokens
from cookscribe.text.vocabulary import BOS, EOS, PAD, SPECIALS, UNK, Vocabulary

SENTENCES = ["Whisk the eggs.", "whisk the cream, whisk!", "fold the eggs in", "don't over-mix the eggs"]


def test_words_seen_often_enough_are_kept_in_order_of_frequency() -> None:
    assert Vocabulary.build(SENTENCES).words == (*SPECIALS, "the", "eggs", "whisk")
    assert Vocabulary.build(SENTENCES, min_count=4).words == (*SPECIALS, "the")
    assert len(Vocabulary.build([])) == 4


def test_encoding_and_decoding() -> None:
    vocabulary = Vocabulary.build(SENTENCES)
    numbers = vocabulary.encode("Whisk the lemon eggs")
    assert numbers == [BOS, 6, 4, UNK, 5, EOS]
    assert vocabulary.decode(numbers) == "whisk the [UNK] eggs"
    assert vocabulary.decode([*numbers, 4, 4]) == "whisk the [UNK] eggs"
    assert vocabulary.decode([4, PAD, 5]) == "the eggs"
    assert vocabulary.encode("the the the the", limit=4) == [BOS, 4, 4, EOS]
    assert vocabulary.encode("", limit=2) == [BOS, EOS]
    with pytest.raises(BadValueError, match="limit"):
        vocabulary.encode("the", limit=1)
    for number in (-1, 7):
        with pytest.raises(BadValueError, match="no word number"):
            vocabulary.decode([number])


@given(st.lists(st.text(st.characters(codec="utf-8"), max_size=30), max_size=8))
@settings(max_examples=60)
def test_round_trip_through_numbers_and_files(tmp_path_factory: pytest.TempPathFactory, sentences: list[str]) -> None:
    vocabulary = Vocabulary.build(sentences, min_count=1)
    for sentence in sentences:
        assert vocabulary.decode(vocabulary.encode(sentence)) == " ".join(ptb_tokens(sentence))
    path = tmp_path_factory.mktemp("vocabulary") / "vocabulary.json"
    vocabulary.save(path)
    assert Vocabulary.load(path) == vocabulary


def test_special_words_cannot_be_written_by_a_sentence() -> None:
    vocabulary = Vocabulary.build(SENTENCES, min_count=1)
    assert not set(vocabulary.encode("[PAD] [BOS] [EOS]")[1:-1]) & {PAD, BOS, EOS}


@pytest.mark.parametrize(
    "content",
    [
        [],
        {"words": list(SPECIALS)},
        {"format": "cookscribe-vocabulary-1"},
        {"format": "cookscribe-vocabulary-1", "words": ["the"]},
        {"format": "cookscribe-vocabulary-1", "words": [*SPECIALS, "the", "the"]},
        {"format": "cookscribe-vocabulary-1", "words": [*SPECIALS, "two words"]},
        {"format": "cookscribe-vocabulary-1", "words": [*SPECIALS, ""]},
        {"format": "cookscribe-vocabulary-1", "words": [*SPECIALS, 3]},
    ],
)
def test_a_wrong_file_is_refused(tmp_path: Path, content: object) -> None:
    path = tmp_path / "vocabulary.json"
    path.write_text(json.dumps(content))
    with pytest.raises(BadFileError, match=r"vocabulary\.json"):
        Vocabulary.load(path)
