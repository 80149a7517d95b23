"""Text from outside: what is shown, and what never reaches a screen or a file."""

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cookscribe.errors import BadFileError
from cookscribe.text.printable import one_line, printable

SHOWN = [
    ("tomato soup", "tomato soup"),
    ("a  b", "a  b"),
    ("crème brûlée 火 👨\u200d🍳", "crème brûlée 火 👨\u200d🍳"),
    ("\x1b[31mred\x1b[0m", "red"),
    ("\x9b2Jred", "red"),
    ("\x1b]0;a title\x07soup", "soup"),
    ("\x1b]8;;http://example.org\x1b\\soup", "soup"),
    ("\x1b]never closed", "never closed"),
    ("\x1b[never", "ever"),
    ("one\ntwo\x00\x08three", "one two  three"),
    ("\u202egnp.exe\u202c\u2066", "gnp.exe"),
    ("caf\udce9", "caf\N{REPLACEMENT CHARACTER}"),
    ("bu\u00adt\ufeffter", "butter"),
]


@pytest.mark.parametrize(("text", "shown"), SHOWN)
def test_what_is_shown(text: str, shown: str) -> None:
    assert printable(text) == shown
    assert one_line(text) == " ".join(shown.split())


@given(st.text(st.characters() | st.sampled_from("\x1b\x9b\x9d\x07[]m;\u202e\ud800"), max_size=60))
def test_whatever_it_was_it_is_harmless_and_stays_as_it_is(text: str) -> None:
    shown = printable(text)
    kinds = {unicodedata.category(c) for c in shown if c not in "\u200c\u200d"}
    assert not kinds & {"Cc", "Cf", "Cs", "Zl", "Zp"}
    shown.encode()
    assert printable(shown) == shown
    assert one_line(one_line(text)) == one_line(text)
    assert "".join(c for c in text if c.isalnum() and c.isascii()) == "" or shown or "\x1b" in text or "\x9b" in text


@pytest.mark.parametrize("code", ["\x1b[", "\x1b]", "\x9d", "\x9b", "\x1b[1", "\x1b]a", "\x1b", "\x90\x1b"])
def test_codes_that_are_never_closed_take_no_longer_than_text(code: str) -> None:
    plain = "\n" * 500_000
    started = time.process_time()
    printable(plain)
    usual = time.process_time() - started
    started = time.process_time()
    printable(code * (len(plain) // len(code)))
    assert time.process_time() - started < 20 * usual + 1


def test_an_error_shows_no_codes_and_still_names_the_file() -> None:
    error = BadFileError("a  \x1b[31mb\udc80.vtt", "is\x07broken", "look\u202e")
    assert str(error) == "a  b\N{REPLACEMENT CHARACTER}.vtt: is broken (look)"
    assert (error.subject, error.cause, error.advice) == ("a  b\N{REPLACEMENT CHARACTER}.vtt", "is broken", "look")
