"""The losses of the planner, each against the true steps of the video.

- refinement: 1 - tIoU of a refined candidate and the true step it overlaps most;
- quality: cross-entropy with that tIoU, so that the estimate is its mean;
- count: cross-entropy with the true number of steps, its neighbours a little less wrong;
- story: 1 - the expected story score. Chains are drawn by their weight; what a chain earns is the sum of its tIoU, two
  neighbours that overlap the same step earning the better of both only; divided by the mean of its length and the true
  number of steps this is the F1 that SODA tIoU averages. The expectation over all chains is exact;
- chain: negative log-likelihood of the oracle chain, per step;
- redundancy: cross-entropy with the tIoU that a pair loses by telling one step twice, for planners that estimate it.
"""

from functools import cached_property

import torch
from torch import Tensor
from torch.nn import functional as F

from cookscribe.model.batch import Targets, take
from cookscribe.model.beyond.chain_sums import ChainSums, chain_score, chain_sums
from cookscribe.model.beyond.planner import Plan
from cookscribe.model.overlap import tiou_of_pairs

PLAN_LOSSES = ("refinement", "quality", "count", "story", "chain", "redundancy")

# The count label is a bell of this width (steps) around the truth: 7 steps told as 8 is nearly right.
COUNT_WIDTH = 1.0


class PlanLosses:
    """All losses of one batch; what several of them need is computed once.

    Args:
        plan: of the planner.
        times: (B, N, 2) borders of the candidates before refinement, shares of the video.
        targets: true steps and oracle events.
        longest: the longest chain that counts.
    """

    def __init__(self, plan: Plan, times: Tensor, targets: Targets, longest: int) -> None:
        self.plan, self.targets, self.longest = plan, targets, longest
        true_times, true_mask = targets.true_times, targets.true_mask.unsqueeze(1)
        self.steps = targets.true_mask.sum(dim=1)
        raw = tiou_of_pairs(times.unsqueeze(2), true_times.unsqueeze(1)) * true_mask
        self.tiou = tiou_of_pairs(plan.times.unsqueeze(2), true_times.unsqueeze(1)) * true_mask
        self.raw_best, self.raw_step = raw.max(dim=2)
        self.best, self.step = self.tiou.max(dim=2)
        self.some = plan.mask.any(dim=1)

    def __call__(self, name: str) -> tuple[Tensor, float]:
        """(sum of the items, what to divide it by) of the loss called `name`."""
        values, divisor = getattr(self, name)()
        return values, float(divisor)

    def knows(self, name: str) -> bool:
        """Whether the plan says what the loss called `name` is about."""
        return name != "redundancy" or self.plan.redundancy is not None

    def refinement(self) -> tuple[Tensor, Tensor]:
        """Over the candidates that overlap a step at all: nobody knows where the others should go."""
        to_step = self.tiou.gather(2, self.raw_step.unsqueeze(2)).squeeze(2)
        weight = ((self.raw_best > 0) & self.plan.mask).to(to_step.dtype)
        return (weight * (1 - to_step)).sum(), weight.sum()

    def quality(self) -> tuple[Tensor, Tensor]:
        """Over all real candidates."""
        loss = F.binary_cross_entropy_with_logits(self.plan.quality, self.best.detach(), reduction="none")
        return loss[self.plan.mask].sum(), self.plan.mask.sum()

    def count(self) -> tuple[Tensor, int]:
        """Over videos."""
        numbers = torch.arange(self.plan.count.shape[1], device=self.steps.device)
        # A video with more steps than the head knows is labelled with the largest number.
        steps = self.steps.clamp(max=len(numbers) - 1)
        label = (-0.5 * ((numbers - steps.unsqueeze(1)) / COUNT_WIDTH) ** 2).softmax(dim=1)
        return -(label.to(self.plan.count.dtype) * self.plan.count.log_softmax(dim=1)).sum(), len(steps)

    @cached_property
    def same(self) -> Tensor:
        """(B, N, N) whether two candidates overlap the same step most."""
        return self.step.unsqueeze(2) == self.step.unsqueeze(1)

    @cached_property
    def sums(self) -> ChainSums:
        """Sums over all chains of the videos with candidates, with what each chain earns."""
        better = (self.best.unsqueeze(1) - self.best.unsqueeze(2)).clamp(min=0)
        gain = torch.where(self.same, better, self.best.unsqueeze(1).expand_as(better))
        return chain_sums(take(self.plan.potentials, self.some), self.longest, self.best[self.some], gain[self.some])

    def story(self) -> tuple[Tensor, int]:
        """Over videos with candidates."""
        assert self.sums.rewards is not None
        lengths = torch.arange(1, self.longest + 1, device=self.steps.device)
        f1 = 2 * self.sums.rewards / (lengths + self.steps[self.some].unsqueeze(1))
        expected = (self.sums.probabilities * f1).sum(dim=1).to(self.best.dtype)
        return (1 - expected).sum(), len(expected)

    def chain(self) -> tuple[Tensor, int]:
        """Over videos with an oracle chain; labels that run backwards (the released rule allows them) are left out."""
        chosen = oracle_chain(self.targets.events, self.plan.mask)[self.some]
        total = self.sums.log_weights.logsumexp(dim=1).to(self.best.dtype)
        loss = (total - chain_score(take(self.plan.potentials, self.some), chosen)) / chosen.sum(dim=1).clamp(min=1)
        labelled = chosen.any(dim=1)
        return loss[labelled].sum(), int(labelled.sum())

    def redundancy(self) -> tuple[Tensor, Tensor]:
        """Over all pairs of real candidates, the earlier first."""
        assert self.plan.redundancy is not None
        mask = self.plan.mask
        pairs = torch.triu(mask.unsqueeze(2) & mask.unsqueeze(1), diagonal=1)
        lost = self.same * torch.minimum(self.best.unsqueeze(2), self.best.unsqueeze(1)).detach()
        loss = F.binary_cross_entropy_with_logits(self.plan.redundancy[pairs], lost[pairs], reduction="sum")
        return loss, pairs.sum()


def oracle_chain(events: Tensor, mask: Tensor) -> Tensor:
    """(B, T) slots of the oracle events (0 is STOP, -1 past the end) to (B, N) True for the candidates of the chain.

    Only labels above all labels before them are kept, so the chain runs forward whatever rule made the labels.
    """
    highest = events.cummax(dim=1).values
    earlier = F.pad(highest[:, :-1], (1, 0), value=0)
    kept = events.masked_fill(events <= earlier, 0)
    chosen = torch.zeros(len(events), mask.shape[1] + 1, dtype=torch.bool, device=events.device)
    chosen.scatter_(1, kept.clamp(min=0), True)
    return chosen[:, 1:] & mask
