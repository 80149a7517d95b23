"""What goes into the model: tensors only, padded, with masks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Self

import torch
from torch import Tensor


@dataclass(frozen=True)
class _Tensors:
    def to(self, device: torch.device | str) -> Self:
        """The same on another device."""
        return self._each(lambda tensor: tensor.to(device))

    def take(self, index: Tensor) -> Self:
        """The videos in `index`, in that order."""
        return self._each(lambda tensor: tensor[index])

    def _each(self, change: Callable[[Tensor], Tensor]) -> Self:
        found = {f.name: getattr(self, f.name) for f in fields(self)}
        return type(self)(**{name: None if value is None else change(value) for name, value in found.items()})

    def __len__(self) -> int:
        return int(getattr(self, fields(self)[0].name).shape[0])


@dataclass(frozen=True)
class Inputs(_Tensors):
    """What is known of B videos before anything is written.

    Attributes:
        features: (B, N, F) one row per candidate event, sorted by start.
        times: (B, N, 2) start and end as shares of the video, in [0, 1].
        scores: (B, N) proposal scores.
        event_mask: (B, N) True for real candidates.
        texts: (B, N, K, W) word ids of the K texts of each candidate; 0 is padding, K is 0 without texts.
        ingredients: (B, M, W) ids of the words of each ingredient; 0 is padding.
        ingredient_mask: (B, M) True for real ingredients; M may be 0.
        heard: (B, N, W, 2) ids of the words heard around each candidate, 0 for padding, and their places; None for
            models that do not listen.
    """

    features: Tensor
    times: Tensor
    scores: Tensor
    event_mask: Tensor
    texts: Tensor
    ingredients: Tensor
    ingredient_mask: Tensor
    heard: Tensor | None = None


@dataclass(frozen=True)
class Targets(_Tensors):
    """What the model should choose and write for B videos of up to T steps.

    Attributes:
        events: (B, T) slot of the oracle event: 0 is STOP, n + 1 is candidate n. -1 past the last step.
        words: (B, T, L) word ids of the sentences: BOS, the words, EOS, then PAD.
        ingredient_used: (B, T, M) True where the sentence names the ingredient.
        action_used: (B, T, R) True where the sentence names the action.
        word_ingredient: (B, T, L - 1, M) True where the word that position k predicts is (part of) the ingredient.
        word_action: (B, T, L - 1) the action that word names, or -1.
        true_times: (B, S, 2) start and end of all S true steps as shares of the video, also those without an oracle
            event.
        true_mask: (B, S) True for real steps.
    """

    events: Tensor
    words: Tensor
    ingredient_used: Tensor
    action_used: Tensor
    word_ingredient: Tensor
    word_action: Tensor
    true_times: Tensor
    true_mask: Tensor

    @property
    def steps(self) -> Tensor:
        """(B,) number of steps of each video."""
        return (self.events >= 0).sum(dim=1)
