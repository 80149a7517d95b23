"""The planner in both forms: any N, padding never matters, borders stay lawful, every weight learns, all letters."""

from dataclasses import replace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from cookscribe.model.batch import Inputs
from cookscribe.model.beyond.plan_losses import PLAN_LOSSES
from cookscribe.model.beyond.planner import Plan, StoryPlanner
from cookscribe.model.beyond.refinement import VOTE_POWER, refined_times, voted_times
from cookscribe.model.config import LossConfig, ModelConfig
from cookscribe.model.losses import StoryLosses
from cookscribe.model.overlap import tiou_of_pairs
from cookscribe.model.recipe_model import RecipeModel
from tests.model.examples import build, inputs_of, some_videos, targets_of, tiny

# The planner on the selector's vectors, and the lean one on the features with what pairs lose.
FORMS: dict[str, dict[str, object]] = {
    "selector": {},
    "features": {"planner_reads": "features", "redundancy": True},
    "features and texts": {"planner_reads": "features", "redundancy": True, "texts": 2},
}


def planning(letters: str = "b", **changes: object) -> ModelConfig:
    return tiny(letters, planner=True, planner_width=8, planner_heads=2, most_steps=5, scores=True, **changes)


def plan_of(model: RecipeModel, inputs: Inputs) -> Plan:
    return model.plan(inputs, model.encode(inputs))


def parts(plan: Plan) -> dict[str, Tensor]:
    found = {"times": plan.times, "quality": plan.quality, "count": plan.count, **vars(plan.potentials)}
    return found if plan.redundancy is None else {**found, "redundancy": plan.redundancy}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("letters", ["b", "bi", "biv", "bivt"])
def test_padding_changes_nothing(letters: str, form: str) -> None:
    model, videos = build(planning(letters, **FORMS[form])), some_videos()
    together = plan_of(model, inputs_of(videos, extra=2))
    for b, video in enumerate(videos):
        n = len(video.times)
        alone = plan_of(model, inputs_of([video]))
        for name, value in parts(alone).items():
            other = parts(together)[name][b]
            other = other if name == "count" else other[:n, :n] if name in ("edge", "redundancy") else other[:n]
            torch.testing.assert_close(other, value[0], msg=name)
        assert together.potentials.node[b, n:].eq(float("-inf")).all()


@pytest.mark.parametrize("form", FORMS)
def test_a_video_without_candidates_gives_finite_numbers(form: str) -> None:
    model = build(planning(**FORMS[form]))
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


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 9999), count=st.integers(1, 6), padding=st.integers(0, 2))
def test_votes_are_a_mean_of_what_stands_in_the_same_place(seed: int, count: int, padding: int) -> None:
    torch.manual_seed(seed)
    start = torch.rand(1, count + padding, dtype=torch.double) * 0.7
    times = torch.stack((start, start + 0.3 * torch.rand_like(start)), dim=-1)
    quality, mask = torch.rand_like(start), torch.arange(count + padding).unsqueeze(0) < count
    voted = voted_times(times, quality, mask)[0]
    for i, (own_start, own_end) in enumerate(times[0, :count].tolist()):
        total, border_sum = 0.0, torch.zeros(2, dtype=torch.double)
        for j, (a, b) in enumerate(times[0, :count].tolist()):
            shared = max(min(own_end, b) - max(own_start, a), 0.0)
            weight = float(quality[0, j]) * (shared / (own_end - own_start + b - a - shared)) ** VOTE_POWER
            total, border_sum = total + weight, border_sum + weight * times[0, j]
        torch.testing.assert_close(voted[i], border_sum / total)
        assert 0 <= voted[i, 0] <= voted[i, 1] <= 1


def test_a_candidate_alone_or_empty_keeps_its_borders() -> None:
    times = torch.tensor([[[0.1, 0.3], [0.5, 0.9], [0.2, 0.2]]])
    voted = voted_times(times, torch.tensor([[0.5, 0.0, 0.5]]), torch.ones(1, 3).bool())
    torch.testing.assert_close(voted, times)


def test_tiou_of_pairs() -> None:
    left = torch.tensor([[0.0, 4.0], [0.0, 1.0], [2.0, 2.0], [1.0, 3.0]])
    right = torch.tensor([[2.0, 6.0], [5.0, 6.0], [2.0, 2.0], [1.0, 3.0]])
    torch.testing.assert_close(tiou_of_pairs(left, right), torch.tensor([2 / 6, 0.0, 0.0, 1.0]))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("letters", ["b", "bivt"])
def test_every_weight_learns(letters: str, form: str) -> None:
    model, videos = build(planning(letters, **FORMS[form])), some_videos()
    outputs = model(inputs_of(videos), targets_of(videos))
    StoryLosses(LossConfig()).total(outputs).backward()
    for name, parameter in model.planner.named_parameters():
        assert parameter.grad is not None, name
        assert torch.isfinite(parameter.grad).all(), name
        assert parameter.grad.abs().max() > 0, name


def test_only_a_plan_made_of_the_selectors_vectors_teaches_the_selector() -> None:
    videos = some_videos()
    only_plan = LossConfig.parse({"event": 0, "sentence": 0})
    for form, taught in (("selector", True), ("features", False)):
        model = build(planning(**FORMS[form]))
        StoryLosses(only_plan).total(model(inputs_of(videos), targets_of(videos))).backward()
        gradient = model.selector.embedding.feature[2].weight.grad
        assert (gradient is not None and bool(gradient.any())) == taught, form


def test_a_plan_of_features_needs_nothing_encoded() -> None:
    model, inputs = build(planning("bivt", **FORMS["features"])), inputs_of(some_videos())
    for name, value in parts(model.plan(inputs)).items():
        torch.testing.assert_close(value, parts(plan_of(model, inputs))[name], msg=name)
    other = replace(inputs, features=inputs.features + 1)
    assert not torch.allclose(model.plan(other).quality, model.plan(inputs).quality)


@pytest.mark.parametrize("name", PLAN_LOSSES)
def test_each_loss_can_be_switched_off(name: str) -> None:
    model, videos = build(planning(**FORMS["features"])), some_videos()
    outputs = model(inputs_of(videos), targets_of(videos))
    assert name in StoryLosses(LossConfig())(outputs)
    assert name not in StoryLosses(LossConfig.parse({name: 0}))(outputs)


def test_losses_do_not_see_padding() -> None:
    model, videos = build(planning(**FORMS["features"])), some_videos()
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


def test_a_plan_that_says_nothing_of_pairs_has_no_loss_for_them() -> None:
    videos = some_videos()
    terms = StoryLosses(LossConfig())(build(planning())(inputs_of(videos), targets_of(videos)))
    assert set(PLAN_LOSSES) - set(terms) == {"redundancy"}
