"""The planner: any N, padding never matters, borders stay lawful, gradients reach every weight, all letters."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from cookscribe.model.batch import Inputs
from cookscribe.model.config import ModelConfig
from cookscribe.model.losses import LossConfig, StoryLosses
from cookscribe.model.plan_losses import PLAN_LOSSES
from cookscribe.model.planner import Plan, StoryPlanner
from cookscribe.model.recipe_model import RecipeModel
from cookscribe.model.refinement import refined_times, tiou_of_pairs
from tests.model.examples import build, inputs_of, some_videos, targets_of, tiny


def planning(letters: str = "b", **changes: object) -> ModelConfig:
    return tiny(letters, planner=True, planner_width=8, planner_heads=2, most_steps=5, scores=True, **changes)


def plan_of(model: RecipeModel, inputs: Inputs) -> Plan:
    return model.plan(inputs, model.encode(inputs))


def parts(plan: Plan) -> dict[str, Tensor]:
    return {"times": plan.times, "quality": plan.quality, "count": plan.count, **vars(plan.potentials)}


@pytest.mark.parametrize("letters", ["b", "bi", "biv", "bivt"])
def test_padding_changes_nothing(letters: str) -> None:
    model, videos = build(planning(letters)), some_videos()
    together = plan_of(model, inputs_of(videos, extra=2))
    for b, video in enumerate(videos):
        n = len(video.times)
        alone = plan_of(model, inputs_of([video]))
        for name, value in parts(alone).items():
            other = parts(together)[name][b]
            other = other if name == "count" else other[:n, :n] if name == "edge" else other[:n]
            torch.testing.assert_close(other, value[0], msg=name)
        assert together.potentials.node[b, n:].eq(float("-inf")).all()


def test_a_video_without_candidates_gives_finite_numbers() -> None:
    model = build(planning())
    inputs = inputs_of(some_videos())
    inputs = replace(inputs, event_mask=torch.zeros_like(inputs.event_mask))
    plan = plan_of(model, inputs)
    assert torch.isfinite(plan.count).all()
    assert torch.isfinite(plan.quality).all()


def test_an_untrained_planner_leaves_borders_alone() -> None:
    torch.manual_seed(0)
    config = planning()
    times = torch.tensor([[[0.1, 0.3], [0.2, 0.9]]])
    plan = StoryPlanner(config)(torch.randn(1, 2, config.width), times, torch.rand(1, 2), torch.ones(1, 2).bool())
    torch.testing.assert_close(plan.times, times)


@settings(max_examples=50, deadline=None)
@given(
    start=st.floats(0, 1),
    length=st.floats(0, 1),
    offsets=st.tuples(st.floats(-50, 50), st.floats(-50, 50)),
    reach=st.floats(0, 1),
)
def test_refined_borders_are_lawful(start: float, length: float, offsets: tuple[float, float], reach: float) -> None:
    times = torch.tensor([start, min(start + length, 1.0)], dtype=torch.double)
    refined = refined_times(times, torch.tensor(offsets, dtype=torch.double), reach)
    assert 0 <= refined[0] <= refined[1] <= 1
    # Crossed borders meet within the reach of the further one.
    assert (refined - times).abs().max() <= 1.1 * max(reach, 0.1) * (times[1] - times[0]) + 1e-12


def test_tiou_of_pairs() -> None:
    left = torch.tensor([[0.0, 4.0], [0.0, 1.0], [2.0, 2.0], [1.0, 3.0]])
    right = torch.tensor([[2.0, 6.0], [5.0, 6.0], [2.0, 2.0], [1.0, 3.0]])
    torch.testing.assert_close(tiou_of_pairs(left, right), torch.tensor([2 / 6, 0.0, 0.0, 1.0]))


@pytest.mark.parametrize("letters", ["b", "bivt"])
def test_every_weight_learns(letters: str) -> None:
    model, videos = build(planning(letters)), some_videos()
    outputs = model(inputs_of(videos), targets_of(videos))
    StoryLosses(LossConfig()).total(outputs).backward()
    assert model.planner is not None
    for name, parameter in model.planner.named_parameters():
        assert parameter.grad is not None, name
        assert torch.isfinite(parameter.grad).all(), name
        assert parameter.grad.abs().max() > 0, name
    # The plan also teaches the selector's own vectors.
    assert model.selector.embedding.feature[2].weight.grad is not None


@pytest.mark.parametrize("name", PLAN_LOSSES)
def test_each_loss_can_be_switched_off(name: str) -> None:
    model, videos = build(planning()), some_videos()
    outputs = model(inputs_of(videos), targets_of(videos))
    assert name in StoryLosses(LossConfig())(outputs)
    assert name not in StoryLosses(LossConfig.parse({name: 0}))(outputs)


def test_losses_do_not_see_padding() -> None:
    model, videos = build(planning()), some_videos()
    criterion = StoryLosses(LossConfig())
    plain = criterion(model(inputs_of(videos), targets_of(videos)))
    padded = criterion(model(inputs_of(videos, extra=3), targets_of(videos, extra=2)))
    for name in PLAN_LOSSES:
        torch.testing.assert_close(plain[name][0], padded[name][0], msg=name)
        assert plain[name][1] == padded[name][1], name


def test_without_a_planner_there_are_no_plan_losses() -> None:
    videos = some_videos()
    outputs = build(tiny("b"))(inputs_of(videos), targets_of(videos))
    assert not set(PLAN_LOSSES) & set(StoryLosses(LossConfig())(outputs))
