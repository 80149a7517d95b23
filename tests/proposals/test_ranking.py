"""Ranking and the answer."""

import numpy as np
import pytest

from cookscribe.candidates import Candidates
from cookscribe.proposals.plain import rank_scores, rerank

SPANS = np.array([[0.0, 10.0], [1.0, 10.0], [20.0, 30.0], [40.0, 50.0]])


def candidates(**changes: object) -> Candidates:
    values = {"spans": SPANS, "scores": np.array([0.9, 0.8, 0.3, 0.5]), "duration": 60.0, "count": 2.6}
    return Candidates(**(values | changes))


def test_pdvcs_score_adds_the_caption_per_squared_length() -> None:
    texts = ("cut the onion", "cut", "stir well", "fry it")
    scored = candidates(captions=texts, caption_scores=np.array([-8.0, -1.0, -2.0, -9.0]))
    assert rank_scores(scored) == pytest.approx([0.9 - 8 / 9, 0.8 - 1.0, 0.3 - 2 / 4, 0.5 - 9 / 4], abs=1e-4)
    assert rank_scores(scored, alpha=0.0) == pytest.approx(scored.scores)
    assert rank_scores(scored, alpha=0.5) == pytest.approx([0.9 - 4 / 9, 0.8 - 0.5, 0.3 - 1 / 4, 0.5 - 9 / 8], abs=1e-4)
    assert rank_scores(candidates()) == pytest.approx([0.9, 0.8, 0.3, 0.5])


def test_the_answer_keeps_the_counted_number_in_order_of_time() -> None:
    assert rerank(candidates()).spans.tolist() == [[0, 10], [1, 10], [40, 50]]
    assert rerank(candidates(), 2).spans.tolist() == [[0, 10], [1, 10]]
    assert len(rerank(candidates(count=None))) == 4
    assert len(rerank(candidates(count=0.2))) == 1
    assert len(rerank(candidates(), 99)) == 4


def test_repetitions_are_passed_over_when_asked() -> None:
    assert rerank(candidates(), overlap=0.5).spans.tolist() == [[0, 10], [20, 30], [40, 50]]
    assert rerank(candidates(), 4, overlap=0.5).spans.tolist() == [[0, 10], [20, 30], [40, 50]]


def test_no_candidates_give_no_answer() -> None:
    assert len(rerank(Candidates(np.zeros((0, 2)), np.zeros(0), 10.0, count=5.0))) == 0
