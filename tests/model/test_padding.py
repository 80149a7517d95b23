"""Padding changes nothing: a video's numbers do not depend on what shares its batch."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from cookscribe.errors import BadValueError
from cookscribe.model.config import LossConfig
from cookscribe.model.decoding import DecodingConfig
from cookscribe.model.losses import StoryLosses
from tests.model.examples import build, close, inputs_of, random_video, some_videos, stories_of, targets_of, tiny


@pytest.mark.parametrize("letters", ["b", "bi", "biv", "bivt"])
def test_losses_of_a_batch_are_the_sum_of_the_losses_of_its_videos(letters: str) -> None:
    model = build(tiny(letters, relative="pairwise", absolute=True, scores=True))
    losses = StoryLosses(LossConfig())
    videos = some_videos(5)
    together = losses(model(inputs_of(videos, extra=3), targets_of(videos, extra=3)))
    for name, (total, _) in together.items():
        alone = sum(float(losses(model(inputs_of([v]), targets_of([v])))[name][0].detach()) for v in videos)
        assert np.isclose(total.item(), alone, rtol=1e-5, atol=1e-5), name


@given(
    sizes=st.lists(st.tuples(st.integers(1, 7), st.integers(0, 4), st.integers(1, 4)), min_size=1, max_size=4),
    seed=st.integers(0, 100),
    extra=st.integers(0, 3),
)
@settings(max_examples=15, deadline=None)
def test_any_number_of_events_ingredients_and_steps(sizes: list[tuple[int, int, int]], seed: int, extra: int) -> None:
    rng = np.random.default_rng(seed)
    videos = [random_video(rng, *size) for size in sizes]
    model = build(tiny("bivt"))
    outputs = model(inputs_of(videos, extra), targets_of(videos, extra))
    assert torch.isfinite(StoryLosses(LossConfig()).total(outputs))
    assert len(outputs.event_logits) == sum(len(v.events) + 1 for v in videos)


@pytest.mark.parametrize("selection", ["stepwise", "chain"])
@pytest.mark.parametrize("members", [0, 1])
@pytest.mark.parametrize("letters", ["b", "bivt"])
def test_decoding_alone_and_in_a_padded_batch_gives_the_same_story(letters: str, members: int, selection: Any) -> None:
    model, *along = (build(tiny(letters, planner=True), seed) for seed in range(1 + members))
    videos = some_videos(8)
    config = DecodingConfig(max_steps=3, max_words=5, selection=selection)
    together = stories_of(model, videos, config, along, scale=100, extra=2)
    for video, story in zip(videos, together, strict=True):
        (alone,) = stories_of(model, [video], config, along, scale=100)
        assert [(s.choice, s.sentence) for s in alone.steps] == [(s.choice, s.sentence) for s in story.steps]
        for a, b in zip(alone.steps, story.steps, strict=True):
            assert close(a.event_probabilities, b.event_probabilities)
            if letters == "bivt":
                assert close(a.ingredients, b.ingredients)  # type: ignore[arg-type]
                assert close(a.change, b.change)  # type: ignore[arg-type]


def test_fixed_relative_encoding_refuses_more_candidates_than_it_has_weights_for() -> None:
    model = build(tiny("b", relative="fixed"))
    videos = [random_video(np.random.default_rng(0), 12, 0, 1)]
    with pytest.raises(BadValueError, match="12 candidates, but the weights are tied to 9"):
        model(inputs_of(videos), targets_of(videos))


def test_ingredients_do_not_reach_the_base_model() -> None:
    model = build(tiny("b"))
    videos = some_videos(2)
    inputs = inputs_of(videos)
    other = replace(inputs, ingredients=inputs.ingredients[:, :0], ingredient_mask=inputs.ingredient_mask[:, :0])
    left, right = model(inputs, targets_of(videos)), model(other, targets_of(videos))
    assert close(left.word_logits, right.word_logits)
