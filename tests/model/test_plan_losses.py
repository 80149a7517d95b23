"""The planner's losses against plain enumeration, and what they teach."""

from dataclasses import replace
from itertools import combinations, pairwise

import numpy as np
import pytest
import torch

from cookscribe.candidates import tiou_matrix
from cookscribe.model.batch import Targets
from cookscribe.model.beyond.chains import Potentials
from cookscribe.model.beyond.plan_losses import PlanLosses, oracle_chain
from cookscribe.model.beyond.planner import Plan
from tests.model.examples import chain_by_parts, random_plan


def targets(true_times: torch.Tensor, events: torch.Tensor) -> Targets:
    videos, steps = events.shape
    nothing = torch.zeros(videos, steps, 0, dtype=torch.bool)
    return Targets(
        events=events,
        words=torch.zeros(videos, steps, 2, dtype=torch.long),
        ingredient_used=nothing,
        action_used=nothing,
        word_ingredient=nothing.unsqueeze(2),
        word_action=torch.full((videos, steps, 1), -1),
        true_times=true_times,
        true_mask=torch.ones(true_times.shape[:2], dtype=torch.bool),
    )


def one_plan(seed: int, count: int) -> tuple[Plan, torch.Tensor]:
    """A plan of one video, and the candidates' times before refinement."""
    plan = random_plan(seed, [count], counts=7)
    return plan, plan.times + 0.02 * torch.randn_like(plan.times)


@pytest.mark.parametrize("seed", range(5))
def test_expected_story_score_is_the_mean_over_all_chains(seed: int) -> None:
    count, longest = 6, 4
    plan, raw = one_plan(seed, count)
    true_times = torch.tensor([[[0.1, 0.25], [0.3, 0.5], [0.55, 0.8]]], dtype=torch.double)
    total, videos = PlanLosses(plan, raw, targets(true_times, torch.tensor([[1, 2, 3]])), longest)("story")
    tiou = tiou_matrix(plan.times[0].numpy(), true_times[0].numpy())
    best, step = tiou.max(axis=1), tiou.argmax(axis=1)
    weights, scores = [], []
    for length in range(1, longest + 1):
        for chain in combinations(range(count), length):
            earned = best[chain[0]]
            for i, j in pairwise(chain):
                earned += max(best[j] - best[i], 0) if step[i] == step[j] else best[j]
            weights.append(np.exp(chain_by_parts(plan.potentials, 0, chain)))
            scores.append(2 * earned / (length + 3))
    expected = np.average(scores, weights=weights)
    assert videos == 1
    assert float(total) == pytest.approx(1 - expected, rel=1e-6)


def test_the_story_loss_learns_to_tell_each_step_once() -> None:
    """Two good candidates of one step and one of the other: the best chain takes one of the two."""
    raw = torch.tensor([[[0.1, 0.3], [0.11, 0.31], [0.6, 0.8], [0.85, 0.95]]], dtype=torch.double)
    goal = targets(torch.tensor([[[0.1, 0.3], [0.6, 0.8]]], dtype=torch.double), torch.tensor([[1, 3]]))
    parts = [torch.zeros(1, 4, dtype=torch.double, requires_grad=True) for _ in range(3)]
    edge = torch.zeros(1, 4, 4, dtype=torch.double, requires_grad=True)
    optimizer = torch.optim.Adam([*parts, edge], lr=0.1)
    for _ in range(200):
        plan = Plan(raw, torch.zeros(1, 4), torch.zeros(1, 5), Potentials(*parts, edge), torch.ones(1, 4).bool())
        loss, _ = PlanLosses(plan, raw, goal, 4)("story")
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert float(loss.detach()) < 0.02


def test_refinement_pulls_towards_the_overlapped_step_and_leaves_strangers_alone() -> None:
    raw = torch.tensor([[[0.1, 0.3], [0.9, 1.0]]], dtype=torch.double)
    times = raw.clone().requires_grad_()
    nothing = torch.zeros(1, 2, dtype=torch.double)
    plan = Plan(
        times, nothing, torch.zeros(1, 4), Potentials(nothing, nothing, nothing, torch.zeros(1, 2, 2)), nothing == 0
    )
    goal = targets(torch.tensor([[[0.15, 0.4]]], dtype=torch.double), torch.tensor([[1]]))
    total, divisor = PlanLosses(plan, raw, goal, 2)("refinement")
    assert float(total.detach()) == pytest.approx(1 - 0.15 / 0.3)
    assert divisor == 1
    total.backward()
    assert times.grad[0, 0, 0] < 0  # a later start is better
    assert times.grad[0, 0, 1] < 0  # so is a later end
    assert not times.grad[0, 1].any()


def test_count_label_is_at_the_truth() -> None:
    plan, raw = one_plan(0, 3)
    goal = targets(torch.rand(1, 4, 2, dtype=torch.double).sort(dim=-1).values, torch.tensor([[1, 2]]))
    losses = []
    for number in range(7):
        sure = torch.full((1, 7), -3.0)
        sure[0, number] = 3.0
        changed = Plan(plan.times, plan.quality, sure, plan.potentials, plan.mask)
        losses.append(float(PlanLosses(changed, raw, goal, 3)("count")[0]))
    assert int(np.argmin(losses)) == 4


@pytest.mark.parametrize("seed", range(5))
def test_redundancy_is_what_a_pair_earns_less_together_than_alone(seed: int) -> None:
    count = 6
    plan, raw = one_plan(seed, count)
    logits = torch.randn(1, count, count, dtype=torch.double)
    mask = torch.tensor([[True, True, True, True, True, False]])
    plan = replace(plan, redundancy=logits, mask=mask)
    true_times = torch.tensor([[[0.1, 0.25], [0.3, 0.5], [0.55, 0.8]]], dtype=torch.double)
    total, pairs = PlanLosses(plan, raw, targets(true_times, torch.tensor([[1, 2, 3]])), 4)("redundancy")
    tiou = tiou_matrix(plan.times[0].numpy(), true_times[0].numpy())
    best, step = tiou.max(axis=1), tiou.argmax(axis=1)
    expected = 0.0
    for i, j in combinations(range(count - 1), 2):
        together = max(best[i], best[j]) if step[i] == step[j] else best[i] + best[j]
        lost, told = best[i] + best[j] - together, 1 / (1 + np.exp(-float(logits[0, i, j])))
        expected -= lost * np.log(told) + (1 - lost) * np.log(1 - told)
    assert pairs == 10
    assert float(total) == pytest.approx(expected, rel=1e-6)


def test_oracle_chain_runs_forward_whatever_the_labels() -> None:
    events = torch.tensor([[2, 1, 2, 4, -1], [3, 3, 5, -1, -1], [-1, -1, -1, -1, -1]])
    mask = torch.ones(3, 5, dtype=torch.bool)
    chosen = oracle_chain(events, mask)
    assert [row.nonzero().squeeze(1).tolist() for row in chosen] == [[1, 3], [2, 4], []]
