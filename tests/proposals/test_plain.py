"""The plain choices: what they keep, and the comparison built from them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cookscribe.candidates import Candidates, tiou_matrix
from cookscribe.errors import BadValueError
from cookscribe.evaluation import Events
from cookscribe.learning.proposals.comparison import baseline_predictions
from cookscribe.proposals.plain import (
    reranked,
    reranked_scores,
    suppressed,
    top,
    uniform,
    wanted_count,
    with_nearest_captions,
)

CANDIDATES = Candidates(
    spans=np.array([[0, 10], [1, 11], [20, 30], [40, 50]], dtype=float),
    scores=np.array([0.5, 0.9, 0.2, 0.7]),
    duration=60.0,
    captions=("a", "a b", "a b c", "a b c d"),
    caption_scores=np.array([-0.1, -8.0, -0.9, -1.6]),
    count=2,
)


def test_top_keeps_the_best_in_order_of_time() -> None:
    assert top(CANDIDATES).captions == ("a b", "a b c d")
    assert top(CANDIDATES, 3).captions == ("a", "a b", "a b c d")
    assert len(top(CANDIDATES, 99)) == 4


def test_suppression_drops_what_overlaps_a_better_one() -> None:
    assert suppressed(CANDIDATES, 0.3, 3).captions == ("a b", "a b c", "a b c d")
    assert suppressed(CANDIDATES, 0.3).captions == ("a b", "a b c d")
    assert suppressed(CANDIDATES, 1.0, 3).captions == top(CANDIDATES, 3).captions


@given(st.integers(0, 10_000), st.floats(0, 1), st.integers(1, 12))
def test_suppression_is_greedy_and_complete(seed: int, threshold: float, count: int) -> None:
    draw = np.random.default_rng(seed)
    start = draw.uniform(0, 80, 12)
    candidates = Candidates(np.stack([start, start + draw.uniform(0, 40, 12)], axis=1), draw.random(12), 120.0)
    kept = suppressed(candidates, threshold, count)
    overlap = tiou_matrix(kept.spans, kept.spans)[~np.eye(len(kept), dtype=bool)]
    assert (overlap <= threshold).all()
    if len(kept) < count:
        # Whatever was not kept is too close to something better.
        for span, score in zip(candidates.spans, candidates.scores, strict=True):
            better = kept.scores >= score
            assert score in kept.scores or (tiou_matrix(span[None], kept.spans[better]) > threshold).any()


def test_reranking_weighs_the_caption() -> None:
    expected = [0.5 - 0.1 / 1.00001, 0.9 - 8 / 4.00001, 0.2 - 0.9 / 9.00001, 0.7 - 1.6 / 16.00001]
    assert reranked_scores(CANDIDATES) == pytest.approx(expected)
    assert reranked(CANDIDATES).captions == ("a", "a b c d")


def test_uniform_segments_tile_the_video() -> None:
    segments = uniform(60.0, 4)
    assert segments.spans.tolist() == [[0, 15], [15, 30], [30, 45], [45, 60]]
    assert with_nearest_captions(segments, CANDIDATES).captions == (
        "a b",
        "a b c",
        "a b c d",
        "a b c d",
    )  # a tie goes to the score


def test_counts_are_rounded_and_at_least_one() -> None:
    def counted(count: float | None) -> Candidates:
        return Candidates(CANDIDATES.spans, CANDIDATES.scores, 60.0, count=count)

    assert wanted_count(counted(2.6)) == 3
    assert wanted_count(counted(0.0)) == 1
    with pytest.raises(BadValueError, match="how many"):
        wanted_count(counted(None))
    with pytest.raises(BadValueError, match="at least 1"):
        wanted_count(counted(None), 0)


def test_what_is_missing_is_named() -> None:
    bare = Candidates(CANDIDATES.spans, CANDIDATES.scores, 60.0)
    with pytest.raises(BadValueError, match="caption scores"):
        reranked(bare)
    with pytest.raises(BadValueError, match="no captions"):
        with_nearest_captions(uniform(60.0, 2), bare)
    with pytest.raises(BadValueError, match=r"in .0, 1."):
        suppressed(bare, 1.5, 2)
    with pytest.raises(BadValueError, match="positive"):
        uniform(0.0, 3)


TRUTH = {"v_x": Events([[0, 9], [2, 12], [41, 50]], ("one", "two", "three")), "v_y": Events([[0, 5]], ("four",))}


def test_the_comparison_names_every_choice() -> None:
    found = {choice.name: choice for choice in baseline_predictions(TRUTH, {"x": CANDIDATES}, count=3)}
    assert list(found) == [
        "oracle paper", "oracle story", "re-ranked", "top-K", "NMS 0.3", "NMS 0.3 K=3", "uniform", "everything",
    ]  # fmt: skip
    assert [name for name, choice in found.items() if choice.sees_truth] == ["oracle paper", "oracle story"]
    assert all(set(choice.predictions) == {"v_x"} for choice in found.values())
    assert found["oracle paper"].predictions["v_x"].sentences == ("a", "a b", "a b c d")
    assert len(found["NMS 0.3 K=3"].predictions["v_x"]) == 3
    assert len(found["uniform"].predictions["v_x"]) == 2
    assert found["everything"].predictions["v_x"].spans.tolist() == CANDIDATES.spans.tolist()


def test_the_comparison_does_without_captions_and_counts() -> None:
    bare = Candidates(CANDIDATES.spans, CANDIDATES.scores, 60.0)
    found = {choice.name: choice.predictions["v_x"] for choice in baseline_predictions(TRUTH, {"x": bare}, count=2)}
    assert "re-ranked" not in found
    assert len(found["top-K"]) == 2
    assert set(found["everything"].sentences) == {""}


def test_candidates_of_other_videos_are_an_error() -> None:
    with pytest.raises(BadValueError, match="not one video"):
        baseline_predictions(TRUTH, {"z": CANDIDATES})
