"""The memory layer, faster: the same numbers as the equations of `memory.py`, with less work.

- `CachedAttention`: rows that stay the same while the memory changes from step to step see each other in the same way.
  That part of their attention is computed once and joined with the memory's part at every step.
- `LinearPair`: two matrices with nothing between them are one matrix. It is multiplied out where there are many rows,
  and kept inside `fused_weights` while the weights do not change: while stories are written, or for the steps of a
  training pass.
"""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Self

import torch
from torch import Tensor, nn
from torch.nn import functional as F


@dataclass(frozen=True)
class CachedAttention:
    """Attention of rows over each other, without any memory.

    Attributes:
        seen: (B, heads, L, d / heads) the weighted values.
        weight: (B, heads, L, 1) logarithm of the sum of the weights before they were normalised.
    """

    seen: Tensor
    weight: Tensor

    @classmethod
    def of(cls, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None) -> Self:
        """From split heads, (B, heads, L, d / heads), and a mask that is True where a key may be seen."""
        scores = query @ key.transpose(2, 3) / math.sqrt(query.shape[-1])
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        weight = scores.logsumexp(dim=-1, keepdim=True)
        return cls((scores - weight).exp() @ value, weight)

    def join(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        """(B, L, d) attention over these rows and C more, whose keys and values are (B, heads, C, d / heads)."""
        # Softmax over both together, from its two parts.
        scores = query @ key.transpose(2, 3) / math.sqrt(query.shape[-1])
        weights = torch.cat((scores, self.weight), dim=-1).softmax(dim=-1)
        joined = weights[..., :-1] @ value + weights[..., -1:] * self.seen
        return joined.transpose(1, 2).flatten(2)


class LinearPair(nn.Module):
    """Two linear layers with nothing between them: outer(inner(x))."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.inner = nn.Linear(width, width)
        self.outer = nn.Linear(width, width)
        # Weight and bias of both as one layer, see `fused_weights`.
        self.fused: tuple[Tensor, Tensor] | None = None

    def forward(self, x: Tensor) -> Tensor:
        """(B, L, d) to (B, L, d)."""
        if self.fused is not None:
            return F.linear(x, *self.fused)
        if x.shape[0] * x.shape[1] > 2 * x.shape[2]:
            # With many rows, multiplying the matrices first is cheaper.
            return F.linear(x, *self.product())
        output: Tensor = self.outer(self.inner(x))
        return output

    def product(self) -> tuple[Tensor, Tensor]:
        """Weight and bias of both as one layer."""
        weight = self.outer.weight @ self.inner.weight
        return weight, F.linear(self.inner.bias, self.outer.weight, self.outer.bias)


@contextmanager
def fused_weights(*models: nn.Module) -> Iterator[None]:
    """Inside, every `LinearPair` of the models multiplies its two matrices once; gradients reach both."""
    pairs = [module for model in models for module in model.modules() if isinstance(module, LinearPair)]
    for pair in pairs:
        pair.fused = pair.product()
    try:
        yield
    finally:
        for pair in pairs:
            pair.fused = None
