"""Scores of single sentences and their paired intervals, against small independent versions."""

import numpy as np
import pytest

from cookscribe_lab.studies.sight.sentence_scores import CIDER, INGREDIENTS, SentenceScores, Step, compared, scored

STEPS = [
    Step("a", 0, "chop the onion", ("onion", "beef")),
    Step("a", 2, "fry the beef in oil", ("onion", "beef")),
    Step("b", 1, "boil the rice", ("rice",)),
]


def test_the_truth_scores_highest_and_foods_count_in_their_own_step() -> None:
    truth = scored(STEPS, [step.sentence for step in STEPS], None).figures()
    assert truth[CIDER] > 300
    assert truth[INGREDIENTS] == 100
    # Onion and beef exchanged: named, but each in the wrong step. Rice is right: 1 of 3 named, 1 of 3 wanted.
    exchanged = scored(STEPS, ["chop the beef", "fry the onion in oil", "boil the rice"], None).figures()
    assert exchanged[INGREDIENTS] == pytest.approx(100 / 3)
    assert 0 < exchanged[CIDER] < truth[CIDER]
    assert scored(STEPS, ["go on"] * 3, None).figures() == {CIDER: 0.0, INGREDIENTS: 0.0}


def test_figures_of_drawn_videos_are_those_of_their_sentences() -> None:
    scores = scored(STEPS, ["chop the onion", "stir it", "boil the beef"], None)
    drawn = scores.over(np.array([[0, 0], [1, 1]]))
    assert drawn[INGREDIENTS].tolist() == pytest.approx([200 / 3, 0.0])  # video b has wrong beef, and no rice
    assert drawn[CIDER][1] == pytest.approx(scores.sums[CIDER][1])
    assert drawn[CIDER][0] == pytest.approx(scores.sums[CIDER][0] / 2)


def test_a_row_that_is_better_everywhere_is_certainly_better() -> None:
    rng = np.random.default_rng(0)
    named = np.tile([[1.0, 2.0, 2.0]], (60, 1))

    def row(shift: float) -> SentenceScores:
        return SentenceScores({CIDER: rng.normal(30 + shift, 5, 60)}, np.ones(60), named)

    rows = {"good": row(20), "plain": row(0), "alike": row(0)}
    table, figures = compared(rows, [("good", "plain"), ("plain", "good"), ("plain", "alike")])
    verdicts = [line.split("|")[2].split(": ")[1].strip() for line in table.splitlines()[2:]]
    assert verdicts == ["yes", "worse", "not certain"]
    (low, high) = figures[0]["interval"]  # type: ignore[misc]
    assert low < 20 < high
