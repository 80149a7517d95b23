"""From a plan to a story: the best ordered set of events, found exactly.

`quality` adds up the estimated tIoU of the chosen events; neighbours may overlap a little, and the number of events is
the expected count. `chain` takes the chain of highest score, where the number of events speaks with its probability:
score of the best chain of k events + weight x log p(count = k). `counted` takes the best chain of as many events as are
expected: the story score hardly minds an event more or less, so the chain's own taste is for few and sure ones. `both`
adds up the qualities and a share of the chain's score, less what neighbours lose by telling one step twice, also of
the expected length.

All are dynamic programmes over all chains (`chains.py`), beside the paper's step-by-step argmax (`decoding.py`).
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from cookscribe.model.beyond.chains import Potentials, best_chains
from cookscribe.model.beyond.planner import SHORTEST_SHARE, Plan
from cookscribe.model.beyond.refinement import voted_times
from cookscribe.model.overlap import tiou_of_all

StoryRule = Literal["quality", "chain", "counted", "both"]

# Of `both`: a quality lies between 0 and 1, a potential between about -5 and 5.
CHAIN_SHARE = 0.1
# Two events in one place tell one step: what a tIoU of 1 costs, where the plan does not say what a pair loses.
OVERLAP_COST = 0.7


def plan_stories(
    plan: Plan,
    rule: StoryRule,
    *,
    longest: int,
    max_overlap: float = 0.3,
    count_weight: float = 1.0,
    chain_share: float = CHAIN_SHARE,
) -> list[list[int]]:
    """The chosen candidates of each video, in order; empty without candidates, otherwise at least one.

    Args:
        plan: of the planner (or the mean of several).
        rule: "quality", "chain", "counted" or "both".
        longest: the most events of a story.
        max_overlap: for `quality`, the highest tIoU (after refinement) of two neighbours.
        count_weight: for `chain`, how much the count estimate speaks.
        chain_share: for `both`, how much the chain's score speaks beside the qualities.
    """
    longest = min(longest, max(plan.mask.shape[1], 1))
    if plan.mask.shape[1] == 0:
        return [[] for _ in range(len(plan.mask))]
    if rule == "quality":
        chains = best_chains(quality_potentials(plan, max_overlap), longest)
        lengths = nearest_length(chains.scores, expected_count(plan.count))
    else:
        chains = best_chains(plan.potentials if rule != "both" else joint_potentials(plan, chain_share), longest)
        if rule == "chain":
            lengths = likeliest_length(chains.scores, plan.count, count_weight)
        else:
            lengths = nearest_length(chains.scores, expected_count(plan.count))
    return [chains.of(b, int(lengths[b])) if bool(plan.mask[b].any()) else [] for b in range(len(plan.mask))]


def quality_potentials(plan: Plan, max_overlap: float) -> Potentials:
    """Chains whose score is the sum of the qualities; neighbours that overlap more than `max_overlap` are forbidden."""
    quality = plan.quality.sigmoid().masked_fill(~plan.mask, float("-inf"))
    tiou = tiou_of_all(plan.times)
    edge = torch.zeros_like(tiou).masked_fill(tiou > max_overlap, float("-inf"))
    nothing = torch.zeros_like(quality)
    return Potentials(quality, nothing, nothing, edge)


def joint_potentials(plan: Plan, share: float) -> Potentials:
    """Chains whose score is the sum of the qualities, less what pairs lose, and of a share of the plan's potentials.

    What a pair loses is the plan's estimate, or else the tIoU of the two at a fixed price.
    """
    own = plan.potentials
    # Padding is minus infinity already, which a share of 0 would turn into NaN.
    node = plan.quality.sigmoid() + share * own.node.masked_fill(~plan.mask, 0.0)
    if plan.redundancy is None:
        lost = OVERLAP_COST * tiou_of_all(plan.times)
    else:
        lost = plan.redundancy.sigmoid()
    node = node.masked_fill(~plan.mask, float("-inf"))
    return Potentials(node, share * own.first, share * own.last, share * own.edge - lost)


def expected_count(count: Tensor) -> Tensor:
    """(B, C + 1) logits of the number of steps to its mean, (B,)."""
    return (count.softmax(dim=1) * torch.arange(count.shape[1], device=count.device)).sum(dim=1)


def nearest_length(scores: Tensor, wanted: Tensor) -> Tensor:
    """(B,) the possible length (finite score) that is nearest to `wanted`; of two, the shorter."""
    lengths = torch.arange(1, scores.shape[1] + 1, device=scores.device)
    distance = (lengths - wanted.unsqueeze(1)).abs().masked_fill(~scores.isfinite(), float("inf"))
    return distance.argmin(dim=1) + 1


def likeliest_length(scores: Tensor, count: Tensor, weight: float) -> Tensor:
    """(B,) the length whose best chain has the highest score together with the count's log-probability."""
    log_probability = count.log_softmax(dim=1)[:, 1:]
    missing = scores.shape[1] - log_probability.shape[1]
    if missing > 0:
        # Lengths the count head knows nothing of are as likely as its last one.
        log_probability = torch.cat((log_probability, log_probability[:, -1:].expand(-1, missing)), dim=1)
    return (scores + weight * log_probability[:, : scores.shape[1]]).argmax(dim=1) + 1


def planned_slots(plan: Plan, rule: StoryRule, *, longest: int, count_weight: float) -> Tensor:
    """The slots of the story of each video, (B, longest): n + 1 for candidate n, 0 (STOP) behind the last."""
    slots = torch.zeros(len(plan.mask), longest, dtype=torch.long, device=plan.mask.device)
    for video, story in enumerate(plan_stories(plan, rule, longest=longest, count_weight=count_weight)):
        slots[video, : len(story)] = torch.tensor(story, device=slots.device) + 1
    return slots


def refined_spans(
    plan: Plan, times: Tensor, spans: Sequence[NDArray[np.float64]], *, vote: bool
) -> list[NDArray[np.float64]]:
    """The planned borders of all candidates in seconds; (B, N, 2) `times` and `spans` are those before refinement."""
    # Shares of the video become seconds by the candidate's own length, which is known in both.
    length = (times[..., 1:] - times[..., :1]).clamp(min=SHORTEST_SHARE)
    refined = voted_times(plan.times, plan.quality.sigmoid(), plan.mask) if vote else plan.times
    moves = ((refined - times) / length).double().cpu().numpy()
    moved = [span + moves[b, : len(span)] * (span[:, 1:] - span[:, :1]) for b, span in enumerate(spans)]
    return [np.maximum(span, 0.0) for span in moved]
