"""What is read of a transcript: words, vectors, places around events, ingredients heard."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cookscribe.errors import BadFileError
from cookscribe.learning.narrated.word_vectors import fit_word_space
from cookscribe.pipelines.transcript_reader import TranscriptReader
from cookscribe.senses.event_words import (
    GIVEN,
    HEARD_NAME,
    LIST_BORDERS,
    MOST_WORDS,
    PLACES,
    IngredientFinder,
    common_ingredients,
    name_words,
    transcript_table,
    words_around,
)
from cookscribe.senses.transcripts import Transcript
from cookscribe.senses.word_space import SAID_BY, TranscriptWords, WordSpace, plain

TALKS = ["so chop the onion very finely", "now fry the onion in butter", "then boil the rice in water"] * 6


def space() -> WordSpace:
    transcripts = [Transcript.from_text(text, 60.0) for text in TALKS]
    return fit_word_space(transcripts, [("chop the onion", "fry the onion")] * 6, ["soy sauce"])


def test_words_that_only_hold_sentences_together_are_not_read() -> None:
    words = space().words
    assert {"chop", "onion", "butter", "soy", "sauce"} <= set(words)
    assert not {"the", "in", "so"} & set(words)
    assert words[:2] == ("[PAD]", "[UNK]")


def test_talk_is_told_from_cooking_by_counting() -> None:
    transcripts = [Transcript.from_text(" ".join(["really"] * 40 + ["onion"] * 40), 60.0)] * 5
    found = fit_word_space(transcripts, [("chop the onion",) * 3] * 5)
    assert "onion" in found.words
    assert "really" not in found.words


def test_words_in_like_company_have_like_vectors() -> None:
    rng = np.random.default_rng(0)
    lines = []
    for _ in range(60):
        food, other = rng.choice(["onion", "carrot"]), rng.choice(["plane", "train"])
        lines.append(f"chop slice peel {food} knife board travel ticket {other} station journey")
    found = fit_word_space([Transcript.from_text(line, 9.0) for line in lines], [("chop it",)])
    onion, carrot, plane = (found.vectors[found.number[word]] for word in ("onion", "carrot", "plane"))
    assert onion @ carrot > onion @ plane + 0.2
    again = fit_word_space([Transcript.from_text(line, 9.0) for line in lines], [("chop it",)])
    assert np.allclose(found.vectors, again.vectors, atol=1e-5)


def test_a_track_says_what_is_said_nearby() -> None:
    known = space()
    heard = TranscriptWords(np.array([known.number["onion"], known.number["rice"]]), np.array([10.0, 50.0]), timed=True)
    track = known.track(heard, 60.0)
    assert track.values.shape == (30, known.track_width)
    width = known.vectors.shape[1]
    near = track.values[:, :width] @ known.vectors[known.number["onion"]]
    assert near[5] > near[25]
    silent = known.track(TranscriptWords(np.zeros(0, dtype=np.int64), np.zeros(0), timed=False), 60.0)
    assert not silent.values.any()


def test_space_and_names_survive_their_files(tmp_path: Path) -> None:
    reader = TranscriptReader(space(), ("onion", "soy sauce"))
    reader.save(tmp_path)
    again = TranscriptReader.load(tmp_path)
    assert (again.space.words, again.names) == (reader.space.words, reader.names)
    assert np.allclose(again.space.vectors, reader.space.vectors, atol=1e-3)
    (tmp_path / "words.json").write_text('["onion"]')
    with pytest.raises(BadFileError, match="mixes two models"):
        TranscriptReader.load(tmp_path)


def test_places_tell_inside_from_around() -> None:
    heard = TranscriptWords(np.arange(2, 9), np.array([1.0, 9.0, 10.5, 15.0, 19.5, 21.0, 40.0]), timed=True)
    found = words_around(heard, (10.0, 20.0))
    # 9 s before the start is too far from a timed event, and so is what comes 20 s behind it.
    assert found[:, 0].tolist() == [3, 4, 5, 6, 7]
    assert found[:, 1].tolist() == [3, 0, 1, 2, 6]
    spread = words_around(TranscriptWords(heard.ids, heard.times, timed=False), (10.0, 20.0))
    assert spread[:, 0].tolist() == [2, 3, 4, 5, 6, 7, 8]
    assert (spread[:, 1] >= 9).all()


@given(seed=st.integers(0, 999), count=st.integers(0, 300), timed=st.booleans())
@settings(max_examples=30, deadline=None)
def test_words_around_are_the_nearest_in_order(seed: int, count: int, timed: bool) -> None:
    rng = np.random.default_rng(seed)
    times = np.sort(rng.uniform(0, 100, count))
    heard = TranscriptWords(np.arange(2, count + 2), times, timed)
    start, end = np.sort(rng.uniform(0, 100, 2))
    found = words_around(heard, (start, end))
    assert len(found) <= MOST_WORDS
    assert (np.diff(found[:, 0]) > 0).all()
    distance = np.maximum(np.maximum(start - times, times - end), 0)
    kept = np.isin(heard.ids, found[:, 0])
    if kept.any() and not kept.all():
        reach = 8.0 if timed else 25.0
        assert distance[kept].max() <= min(reach, distance[~kept].max()) + 1e-9


def test_tables_begin_with_the_ingredients() -> None:
    known = space()
    names = name_words(["soy sauce", "onion", "sauce"], known, given=True)
    assert [known.words[n] for n in names.ids] == ["soy", "sauce", "onion", "sauce"]
    assert np.allclose(names.shares, [1 / 6, 1 / 6, 3 / 6, 5 / 6])
    heard = known.heard(Transcript.from_text("chop the onion", 30.0))
    table = transcript_table(heard, np.array([[0.0, 30.0], [0.0, 1.0]]), names, 30.0)
    assert table.shape[0] == 2
    assert [known.words[n] for n in table[0, :, 0]] == ["soy", "sauce", "onion", "sauce", "chop", "onion"]


def test_places_tell_how_an_ingredient_stands_to_an_event() -> None:
    known = space()
    heard = TranscriptWords(np.array([known.number["chop"], known.number["onion"]]), np.array([4.0, 5.0]), timed=True)
    spans = np.array([[0.0, 10.0], [90.0, 100.0]])
    kinds = len(LIST_BORDERS) + 1
    tables = {
        listed: transcript_table(heard, spans, name_words(["onion", "rice"], known, given=listed), 100.0)
        for listed in (True, False)
    }
    for listed, first in ((True, GIVEN), (False, HEARD_NAME)):
        early, late = tables[listed][0, :2, 1] - first, tables[listed][1, :2, 1] - first
        # Said around the first event, and expected there; in the last one it is long past, and nobody says it.
        assert kinds <= early[0] < 2 * kinds
        assert 0 <= late[0] < kinds
        assert early[0] - kinds > late[0]
        # What stands later in the list is further ahead.
        assert early[1] > early[0] - kinds
        assert late[1] > late[0]
    # The said word knows that it is an ingredient, and of which kind of list; the verb does not change.
    chop, onion = (tables[True][0, k, 1] for k in (2, 3))
    assert chop == tables[False][0, 2, 1] == 1
    assert len({1, int(onion), int(tables[False][0, 3, 1])}) == 3
    assert max(table[..., 1].max() for table in tables.values()) < PLACES


def test_guessed_times_begin_late_and_end_early() -> None:
    known = space()
    words = " ".join(["onion"] * 101)
    guessed = known.heard(Transcript.from_text(words, 100.0)).times
    assert (np.diff(guessed) > 0).all()
    assert np.isclose(guessed[50], 100 * SAID_BY[5])
    even = np.linspace(0.5, 99.5, 101)
    assert guessed[0] > even[0]
    assert guessed[-1] < even[-1]
    timed = Transcript(("onion",), np.array([[40.0, 50.0]]), timed=True)
    assert known.heard(timed).times.tolist() == [45.0]


def test_ingredients_are_heard() -> None:
    names = common_ingredients([("onion", "soy sauce"), ("onion", "soy sauce"), ("onion", "soy sauce", "rice")], 2)
    assert names == ("onion", "soy sauce")
    transcript = Transcript.from_text("some soy sauce , and rice , then two onions", 30.0)
    assert IngredientFinder(names)(transcript) == ("soy sauce", "onion")
    reader = TranscriptReader(space(), names)
    video = reader.listen(transcript, 30.0)
    spans = np.array([[0.0, 30.0]])
    without, listed = reader.input(video, spans), reader.input(video, spans, ["rice"])
    # Names stand first: two words of one and one of the other name, or one word of the list.
    assert (without.copy_words[0, :3, 1] >= HEARD_NAME).all()
    assert GIVEN <= listed.copy_words[0, 0, 1] < HEARD_NAME
    assert (listed.copy_words[0, 1:, 1] < GIVEN).all()


def test_plain_words() -> None:
    assert plain("Olive-oil,") == ("olive-oil",)
    assert plain("...") == ()
    assert plain("don't") == ("don't",)
