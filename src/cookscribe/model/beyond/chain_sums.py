"""Sums over all chains of candidates, for training: see `chains`.

`chain_sums` gives the total weight (exponential of the score) of the chains of each length and their weighted mean
reward, and passes gradients: the expected story score of a model that chooses chains by their weight, without sampling
a single one.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from cookscribe.model.beyond.chains import Potentials, forward_only


@dataclass(frozen=True)
class ChainSums:
    """Sums over all chains of each length 1 to K.

    Attributes:
        log_weights: (B, K) logarithm of the summed weights, minus infinity where there is no such chain.
        rewards: (B, K) mean reward of the chains of this length, each counted by its weight; None if not asked for.
    """

    log_weights: Tensor
    rewards: Tensor | None

    @property
    def probabilities(self) -> Tensor:
        """(B, K) probability that a chain drawn by weight has this length."""
        return self.log_weights.softmax(dim=1)


def chain_sums(
    potentials: Potentials, longest: int, reward: Tensor | None = None, gain: Tensor | None = None
) -> ChainSums:
    """Sum over all chains up to `longest` candidates, in double precision.

    Args:
        potentials: scores.
        reward: (B, N) what a chain earns for its first candidate.
        gain: (B, N, N) what it earns for each candidate j that follows i directly.
    """
    node = potentials.node.double()
    step = torch.exp(forward_only(potentials.edge.double()) + node.unsqueeze(1))
    weight = torch.exp(potentials.first.double() + node).unsqueeze(1)
    closing = torch.exp(potentials.last.double()).unsqueeze(2)
    earned = earning = None
    if reward is not None and gain is not None:
        earned, earning = weight * reward.double().unsqueeze(1), step * gain.double()
    scale = weight.new_zeros(len(weight))
    log_weights, rewards = [], []
    for k in range(longest):
        if k > 0:
            if earned is not None and earning is not None:
                earned = earned @ step + weight @ earning
            weight = weight @ step
        # The common factor is kept apart, so that long chains neither overflow nor vanish. Both sums share it.
        factor = weight.detach().amax(dim=(1, 2)).clamp(min=torch.finfo(weight.dtype).tiny)
        weight, scale = weight / factor[:, None, None], scale + factor.log()
        total = (weight @ closing).squeeze(2).squeeze(1)
        exists = total > 0
        safe = total.masked_fill(~exists, 1.0)
        log_weights.append((safe.log() + scale).masked_fill(~exists, float("-inf")))
        if earned is not None:
            earned = earned / factor[:, None, None]
            rewards.append((earned @ closing).squeeze(2).squeeze(1) / safe)
    return ChainSums(torch.stack(log_weights, dim=1), torch.stack(rewards, dim=1) if rewards else None)


def chain_score(potentials: Potentials, chosen: Tensor) -> Tensor:
    """(B,) score of one given chain per video; a video that chooses nothing scores 0.

    Args:
        chosen: (B, N) True for the candidates of the chain.
    """
    count = chosen.shape[1]
    place = torch.arange(count, device=chosen.device)
    rank = chosen.cumsum(dim=1)
    is_first = chosen & (rank == 1)
    is_last = chosen & (rank == rank[:, -1:])
    # j follows i directly when both are chosen and j is the next in rank.
    follows = chosen.unsqueeze(2) & chosen.unsqueeze(1) & (rank.unsqueeze(1) == rank.unsqueeze(2) + 1)
    follows = follows & (place[None, None, :] > place[None, :, None])

    def picked(values: Tensor, where: Tensor) -> Tensor:
        return values.masked_fill(~where, 0.0).flatten(1).sum(dim=1)

    return (
        picked(potentials.node, chosen)
        + picked(potentials.first, is_first)
        + picked(potentials.last, is_last)
        + picked(potentials.edge, follows)
    )
