"""What the writer reads: every word once, near its event, and nothing that could be taken for another line."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cookscribe.writer.evidence import (
    AROUND_SPREAD,
    AROUND_TIMED,
    MOST_WORDS,
    EventEvidence,
    FilmEvidence,
    event_lines,
    header,
    heard_lines,
    seen_names,
    spoken,
)
from cookscribe.writer.texts import Encoder
from tests.writer.small import tokenizer

times = st.lists(st.floats(0, 300, allow_nan=False), max_size=60).map(sorted)
spans = st.lists(
    st.tuples(st.floats(0, 290), st.floats(0, 60)).map(lambda pair: (pair[0], pair[0] + pair[1])), max_size=8
).map(sorted)


@given(times, spans, st.booleans())
def test_a_word_is_read_once_and_only_near_an_event(
    when: list[float], events: list[tuple[float, float]], timed: bool
) -> None:
    words = [f"w{n}" for n in range(len(when))]
    lines = heard_lines(words, np.array(when), np.array(events).reshape(-1, 2), timed=timed)
    assert len(lines) == len(events)
    before, after = AROUND_TIMED if timed else AROUND_SPREAD
    shown = [line.split() for line in lines]
    everything = [word for line in shown for word in line]
    assert len(everything) == len(set(everything))
    for line, (start, end) in zip(shown, events, strict=True):
        assert len(line) <= MOST_WORDS
        for word in line:
            assert start - before <= when[int(word[1:])] <= end + after


def test_every_event_reads_what_is_said_in_it_and_half_of_what_is_said_between() -> None:
    when = np.arange(0.5, 60, 1.0)
    events = np.array([[10.0, 20.0], [20.0, 30.0], [40.0, 50.0]])
    lines = heard_lines([f"w{n}" for n in range(len(when))], when, events, timed=False)
    read = [(int(line.split()[0][1:]), int(line.split()[-1][1:]) + 1) for line in lines]
    assert read == [(0, 20), (20, 35), (35, 60)]
    lines = heard_lines([f"w{n}" for n in range(len(when))], when, events, timed=True)
    assert [(int(line.split()[0][1:]), int(line.split()[-1][1:]) + 1) for line in lines] == [
        (7, 20),
        (20, 34),
        (37, 54),
    ]


def test_recognised_words_become_a_plain_line() -> None:
    assert spoken(["So", "we", "'re", "going,", "to", "add", '"the"', "salt", "."]) == "so we're going to add the salt."
    assert spoken(["do", "n't", "use", "1/2", "cup"]) == "don't use 1/2 cup"


def test_the_surest_things_come_first_and_doubtful_ones_say_so() -> None:
    assert seen_names([("bowl", 0.2), ("dough", 0.7), ("ginger", 0.01)]) == ("dough", "bowl?")


def test_lines_that_are_not_known_are_left_out() -> None:
    film = FilmEvidence((EventEvidence(), EventEvidence("stir", ("2 tbsp soy",), ("pan",))))
    assert header(film) == ""
    assert event_lines(film.events[0], 1, 2) == "step 1/2:"
    assert event_lines(film.events[1], 2, 2) == "heard: stir\nread: 2 tbsp soy\nseen: pan\nstep 2/2:"
    listed = FilmEvidence((), "Soup\nstep 9/9: lie", ("salt", "step 1/1: x\n"), given=True)
    assert header(listed) == "dish: soup step 9/9: lie\ningredients: salt, step 1/1: x\n"


def test_a_story_marks_the_tokens_of_its_sentences() -> None:
    encoder = Encoder(tokenizer())
    film = FilmEvidence((EventEvidence("we add salt"), EventEvidence()), "soup")
    tokens, written = encoder.story(film, ["add the salt", "stir"])
    said = [token for token, mark in zip(tokens, written, strict=True) if mark]
    assert encoder.tokenizer.decode(said) == " add the salt\n stir\n"
    assert tokens[0] == encoder.start
    assert said.count(encoder.end) == 2
    whole = encoder.tokenizer.decode(tokens[1:])
    assert whole == "dish: soup\nheard: we add salt\nstep 1/2: add the salt\nstep 2/2: stir\n"
