"""Chains of candidates, and exact dynamic programmes over all of them.

A chain is a choice of candidates in their order: i1 < i2 < ... < ik. Its score is

    first[i1] + sum of node[i] + sum of edge[i, j] over neighbours in the chain + last[ik].

With N candidates there are 2^N - 1 chains; every programme here looks at all of them in K N^2 operations, where K is
the longest chain that counts. Here the best chain of each length is found; `chain_sums` has the sums of training.
"""

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class Potentials:
    """The parts of the score of a chain, for B videos of N candidates.

    Attributes:
        node, first, last: (B, N); a candidate that cannot be chosen (padding) has node minus infinity.
        edge: (B, N, N), entry [b, i, j] for j directly after i; only i < j counts, minus infinity forbids.
    """

    node: Tensor
    first: Tensor
    last: Tensor
    edge: Tensor


@dataclass(frozen=True)
class BestChains:
    """The best chain of each length 1 to K.

    Attributes:
        scores: (B, K), minus infinity where there is no such chain.
        ends: (B, K) last candidate of the best chain.
        before: (B, K, N) candidate before each candidate in the best chain of that length which ends there.
    """

    scores: Tensor
    ends: Tensor
    before: Tensor

    def of(self, video: int, length: int) -> list[int]:
        """The candidates of the best chain of this length (1 or more), in order."""
        chain = [int(self.ends[video, length - 1])]
        for k in range(length - 1, 0, -1):
            chain.append(int(self.before[video, k, chain[-1]]))
        return chain[::-1]


def best_chains(potentials: Potentials, longest: int) -> BestChains:
    """Find the best chain of every length from 1 to `longest`, exactly."""
    node, edge = potentials.node, forward_only(potentials.edge)
    ending = potentials.first + node
    scores, ends = [], []
    before = [torch.zeros_like(ending, dtype=torch.long)]
    for k in range(longest):
        if k > 0:
            best, previous = (ending.unsqueeze(2) + edge).max(dim=1)
            ending = best + node
            before.append(previous)
        score, end = (ending + potentials.last).max(dim=1)
        scores.append(score)
        ends.append(end)
    return BestChains(torch.stack(scores, dim=1), torch.stack(ends, dim=1), torch.stack(before, dim=1))


def forward_only(edge: Tensor) -> Tensor:
    """Forbid every step that does not go forward."""
    count = edge.shape[1]
    backward = torch.ones(count, count, dtype=torch.bool, device=edge.device).tril()
    return edge.masked_fill(backward, float("-inf"))
