"""What a reader must not meet: one event told twice, or steps in each other's time."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cookscribe.candidates import Candidates, tiou_matrix
from cookscribe.pipelines.visual import merge_continuations, steps_apart
from cookscribe.story import StoryStep

DURATION = 100.0


def told(*steps: tuple[float, float, float]) -> tuple[list[StoryStep], Candidates]:
    """Steps (start, end, how sure), one per candidate; the candidates lie apart, so that each speaks for itself."""
    count = len(steps)
    apart = np.array([[n, n + 0.5] for n in range(count)], dtype=np.float64)
    candidates = Candidates(apart, np.full(count, 0.5), DURATION)
    made = []
    for number, (start, end, sure) in enumerate(steps):
        probabilities = np.zeros(count + 1)
        probabilities[number + 1] = sure
        made.append(StoryStep(number, np.array([start, end]), f"step {number}", probabilities, 0.0))
    return made, candidates


def test_of_two_steps_in_one_place_the_surer_one_is_told() -> None:
    kept = steps_apart(*told((0, 10, 0.4), (1, 10, 0.9), (20, 30, 0.1)), 0.3)
    assert [step.sentence for step in kept] == ["step 1", "step 2"]


def test_neighbours_meet_in_the_middle() -> None:
    first, second = steps_apart(*told((0, 12, 0.5), (10, 20, 0.5)), 0.3)
    assert (first.span.tolist(), second.span.tolist()) == ([0, 11], [11, 20])


def test_a_moment_within_a_long_step_stays_as_it_is() -> None:
    kept = steps_apart(*told((0, 40, 0.5), (10, 14, 0.5)), 0.3)
    assert [step.span.tolist() for step in kept] == [[0, 40], [10, 14]]


def said(*sentences: str, gap: float) -> list[StoryStep]:
    """Steps of ten seconds with so many seconds between them."""
    steps, _ = told(*((number * (10 + gap), number * (10 + gap) + 10, 0.5) for number in range(len(sentences))))
    return [replace(step, sentence=sentence) for step, sentence in zip(steps, sentences, strict=True)]


def test_a_step_that_only_goes_on_is_one_with_the_last() -> None:
    on = said("add the boiled pasta to the sauce", "add the pasta to the sauce", "serve the pasta", gap=0.2)
    first, second = merge_continuations(on)
    assert first.sentence == "add the boiled pasta to the sauce"
    assert first.span.tolist() == pytest.approx([0, 20.2])
    assert second is on[2]
    # The fuller sentence stays, whichever comes first.
    (only,) = merge_continuations(said("chop the onion", "chop the onion and carrots", gap=0))
    assert only.sentence == "chop the onion and carrots"


def test_other_words_or_a_break_make_another_step() -> None:
    assert len(merge_continuations(said("add the peas to the soup", "add the cream to the soup", gap=0))) == 2
    assert len(merge_continuations(said("flip the steak", "flip the steak", gap=5))) == 2
    assert merge_continuations([]) == ()


def test_a_bundle_may_tell_all() -> None:
    steps, candidates = told((0, 10, 0.5), (0, 10, 0.5))
    assert steps_apart(steps, candidates, 1.0) == tuple(steps)


@settings(max_examples=50, deadline=None)
@example([(0.0, 20.0, 1.0), (17.0, 4.0, 1.0), (18.0, 1.0, 1.0)])
@example([(0.0, 8.0, 1.0), (6.0, 4.0, 1.0), (7.0, 1.0, 1.0)])
@given(st.lists(st.tuples(st.floats(0, 80), st.floats(1, 20), st.floats(0.01, 1)), max_size=8))
def test_told_steps_lie_apart_and_in_order(drawn: list[tuple[float, float, float]]) -> None:
    steps, candidates = told(*((start, start + length, sure) for start, length, sure in drawn))
    kept = steps_apart(steps, candidates, 0.3)
    assert bool(kept) == bool(steps)
    spans = np.array([step.span for step in kept]).reshape(-1, 2)
    assert (spans[:, 1] > spans[:, 0]).all()
    assert (np.triu(tiou_matrix(spans, spans), 1) <= 0.3 + 1e-9).all()
    for one, following in pairwise(spans.tolist()):
        assert one[0] <= following[0]
