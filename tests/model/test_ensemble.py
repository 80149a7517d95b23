"""Ensembles: members that agree write as one, and a plan is made of all plans."""

from typing import Any

import numpy as np
import pytest
import torch

from cookscribe.errors import BadValueError
from cookscribe.model.beyond.ensemble import mean_log_probabilities, mean_plan
from cookscribe.model.beyond.story_decoding import plan_stories
from cookscribe.model.decoding import DecodingConfig
from tests.model.examples import build, close, inputs_of, some_videos, stories_of, tiny


@pytest.mark.parametrize("selection", ["stepwise", "quality", "chain", "both", "all"])
def test_models_that_think_the_same_write_what_one_writes(selection: Any) -> None:
    model, videos = build(tiny("bivt", planner=True), 3), some_videos(3)
    config = DecodingConfig(max_steps=3, max_words=5, beam=3, selection=selection)
    alone = stories_of(model, videos, config, scale=60)
    agreed = stories_of(model, videos, config, [model, model], scale=60)
    for one, three in zip(alone, agreed, strict=True):
        assert [(s.choice, s.sentence) for s in one.steps] == [(s.choice, s.sentence) for s in three.steps]
        for a, b in zip(one.steps, three.steps, strict=True):
            assert np.isclose(a.sentence_score, b.sentence_score, atol=1e-5)
            assert np.allclose(a.span, b.span, atol=1e-3)
            assert np.allclose(a.event_probabilities, b.event_probabilities, atol=1e-5)


@torch.no_grad()
def test_the_mean_plan_chooses_the_events_and_their_borders() -> None:
    models = [build(tiny("b", planner=True), seed) for seed in range(3)]
    videos = some_videos(6)
    inputs = inputs_of(videos)
    plan = mean_plan([model.plan(inputs) for model in models])
    told = plan_stories(plan, "quality", longest=4)
    config = DecodingConfig(max_steps=4, max_words=2, selection="quality")
    stories = stories_of(models[0], videos, config, models[1:], scale=60)
    assert [[step.choice for step in story.steps] for story in stories] == told
    for number, story in enumerate(stories):
        for step in story.steps:
            refined = plan.times[number, step.choice].clamp(min=0).numpy() * 60
            assert np.allclose(step.span, refined, atol=1e-3)
    alone = [plan_stories(model.plan(inputs), "quality", longest=4) for model in models]
    assert told not in alone, "the models should not agree anyway"


def test_mean_of_log_probabilities() -> None:
    rng = torch.Generator().manual_seed(0)
    chances = torch.rand(3, 2, 5, generator=rng, dtype=torch.float64)
    chances[:, 0, 2] = 0.0
    found = mean_log_probabilities(list(chances.log()))
    assert close(found.exp(), chances.mean(dim=0))
    assert found[0, 2] == float("-inf")
    single = chances[0].log()
    assert mean_log_probabilities([single]) is single


def test_all_need_a_planner_where_the_story_is_planned() -> None:
    config = DecodingConfig(selection="chain")
    with pytest.raises(BadValueError, match="no planner"):
        stories_of(build(tiny("b", planner=True)), some_videos(1), config, [build(tiny("b"))])
