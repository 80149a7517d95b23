"""Story decoding: exact against brute force, lawful whatever the plan says, and told by the whole model."""

from dataclasses import replace
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from cookscribe.candidates import tiou_matrix
from cookscribe.errors import BadValueError
from cookscribe.model.beyond.chains import Potentials
from cookscribe.model.beyond.planner import Plan
from cookscribe.model.beyond.refinement import voted_times
from cookscribe.model.beyond.story_decoding import CHAIN_SHARE, OVERLAP_COST, expected_count, plan_stories
from cookscribe.model.decoding import DecodingConfig
from tests.model.examples import build, chain_by_parts, inputs_of, random_plan, some_videos, stories_of, tiny


def chains(count: int, longest: int) -> list[tuple[int, ...]]:
    return [chain for k in range(1, longest + 1) for chain in combinations(range(count), k)]


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 9999), sizes=st.lists(st.integers(1, 7), min_size=1, max_size=3))
def test_quality_rule_is_the_best_of_all_chains(seed: int, sizes: list[int]) -> None:
    plan = random_plan(seed, sizes)
    told = plan_stories(plan, "quality", longest=5, max_overlap=0.2)
    for b, size in enumerate(sizes):
        quality = plan.quality[b].sigmoid().numpy()
        overlap = tiou_matrix(plan.times[b].numpy(), plan.times[b].numpy())
        allowed = {
            chain: quality[list(chain)].sum()
            for chain in chains(size, 5)
            if all(overlap[i, j] <= 0.2 for i, j in pairwise(chain))
        }
        wanted = float(expected_count(plan.count)[b])
        nearest = min({len(chain) for chain in allowed}, key=lambda k: abs(k - wanted))
        assert len(told[b]) == nearest
        best = max(value for chain, value in allowed.items() if len(chain) == nearest)
        assert allowed[tuple(told[b])] == pytest.approx(best)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 9999), sizes=st.lists(st.integers(1, 7), min_size=1, max_size=3), weight=st.floats(0, 3))
def test_chain_rule_is_the_best_of_all_chains(seed: int, sizes: list[int], weight: float) -> None:
    plan = random_plan(seed, sizes)
    told = plan_stories(plan, "chain", longest=8, count_weight=weight)
    likely = plan.count.log_softmax(dim=1)
    for b, size in enumerate(sizes):

        def score(chain: tuple[int, ...], b: int = b) -> float:
            likelihood = float(likely[b, min(len(chain), likely.shape[1] - 1)])
            return chain_by_parts(plan.potentials, b, chain) + weight * likelihood

        assert score(tuple(told[b])) == pytest.approx(max(score(chain) for chain in chains(size, 8)))


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 9999), sizes=st.lists(st.integers(1, 7), min_size=1, max_size=3))
@pytest.mark.parametrize(
    ("rule", "share"), [("counted", 1.0), ("both", CHAIN_SHARE), ("learnt", 0.25), ("learnt", 0.0)]
)
def test_best_chain_of_the_expected_length(rule: str, share: float, seed: int, sizes: list[int]) -> None:
    plan = random_plan(seed, sizes)
    lost = torch.randn(len(sizes), max(sizes), max(sizes), dtype=torch.double)
    if rule == "learnt":
        plan = replace(plan, redundancy=lost)
    named: Any = "both" if rule == "learnt" else rule
    told = plan_stories(plan, named, longest=8, chain_share=share)
    for b, size in enumerate(sizes):
        quality = plan.quality[b].sigmoid().numpy()
        overlap = tiou_matrix(plan.times[b].numpy(), plan.times[b].numpy())

        def score(chain: tuple[int, ...], b: int = b, quality: Any = quality, overlap: Any = overlap) -> float:
            total = chain_by_parts(plan.potentials, b, chain)
            if rule == "counted":
                return total
            if rule == "learnt":
                taken_off = sum(float(lost[b, i, j].sigmoid()) for i, j in pairwise(chain))
            else:
                taken_off = OVERLAP_COST * sum(overlap[i, j] for i, j in pairwise(chain))
            return float(quality[list(chain)].sum() + share * total - taken_off)

        wanted = float(expected_count(plan.count)[b])
        nearest = min(range(1, size + 1), key=lambda k: abs(k - wanted))
        assert len(told[b]) == nearest
        assert score(tuple(told[b])) == pytest.approx(max(score(chain) for chain in combinations(range(size), nearest)))


@pytest.mark.parametrize("rule", ["quality", "chain", "counted", "both"])
def test_no_candidates_no_story(rule: str) -> None:
    plan = random_plan(0, [3, 2])
    empty = torch.zeros_like(plan.mask)
    nothing = Plan(plan.times, plan.quality, plan.count, plan.potentials, empty)
    assert plan_stories(nothing, rule, longest=5) == [[], []]  # type: ignore[arg-type]
    quality = plan.quality[:, :0]
    potentials = Potentials(quality, quality, quality, plan.potentials.edge[:, :0, :0])
    none = Plan(plan.times[:, :0], quality, plan.count, potentials, plan.mask[:, :0])
    assert plan_stories(none, rule, longest=5) == [[], []]  # type: ignore[arg-type]


@pytest.mark.parametrize("letters", ["b", "bivt"])
@pytest.mark.parametrize(
    ("rule", "vote"), [("quality", False), ("chain", False), ("counted", False), ("both", False), ("both", True)]
)
def test_the_model_tells_its_plan(letters: str, rule: str, vote: bool) -> None:
    model = build(tiny(letters, planner=True, planner_width=8, planner_heads=2, most_steps=5))
    videos = some_videos()
    inputs = inputs_of(videos, extra=1)
    config = DecodingConfig(selection=rule, max_steps=4, max_words=3, vote=vote)  # type: ignore[arg-type]
    stories = stories_of(model, videos, config, scale=200.0, extra=1)
    with torch.no_grad():
        plan = model.plan(inputs, model.encode(inputs))
    chosen = plan_stories(plan, rule, longest=4)  # type: ignore[arg-type]
    times = voted_times(plan.times, plan.quality.sigmoid(), plan.mask) if vote else plan.times
    for b, story in enumerate(stories):
        assert [step.choice for step in story.steps] == chosen[b]
        for step in story.steps:
            assert step.sentence_score <= 0
            np.testing.assert_allclose(step.span, times[b, step.choice].numpy() * 200.0, atol=1e-6)


def test_a_model_without_planner_says_so() -> None:
    with pytest.raises(BadValueError, match="no planner"):
        stories_of(build(tiny("b")), some_videos(), DecodingConfig(selection="chain"))
