"""Exponential moving average of a model's weights: what is evaluated and kept."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn


class Average:
    """Averaged copy of all trainable parameters.

    The decay rises with the steps, min(limit, (1 + step) / (10 + step)), so that the random start is forgotten quickly.
    With a limit of 0 the average is the model itself.
    """

    def __init__(self, model: nn.Module, limit: float) -> None:
        self.model = model
        self.limit = limit
        self.weights: dict[str, Tensor] = {
            name: value.detach().clone() for name, value in model.named_parameters() if value.requires_grad
        }

    def decay(self, step: int) -> float:
        """Decay at the `step`-th update, counted from 1."""
        return min(self.limit, (1 + step) / (10 + step))

    @torch.no_grad()
    def update(self, step: int) -> None:
        """Move the average towards the model after its `step`-th optimiser step."""
        live = dict(self.model.named_parameters())
        kept = list(self.weights.values())
        fresh = [live[name].detach() for name in self.weights]
        torch._foreach_lerp_(kept, fresh, 1.0 - self.decay(step))

    @contextmanager
    def applied(self) -> Iterator[None]:
        """Inside, the model has the averaged weights; afterwards exactly its own again."""
        own = {name: value.detach().clone() for name, value in self.model.named_parameters() if name in self.weights}
        self._copy(self.weights)
        try:
            yield
        finally:
            self._copy(own)

    @torch.no_grad()
    def _copy(self, weights: dict[str, Tensor]) -> None:
        live = dict(self.model.named_parameters())
        for name, value in weights.items():
            live[name].copy_(value)
