"""What goes into the model: tensors only, padded, with masks; and how to go on with some videos of a batch."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, TypeVar

from torch import Tensor

T = TypeVar("T")

# Metadata of dataclass fields whose tensors are the same for all videos of a batch.
SHARED: Mapping[str, bool] = {"shared": True}


def take(value: T, index: Tensor) -> T:
    """The videos in `index`, in that order, of anything whose tensors have the batch first.

    Looks into tuples and dataclasses; numbers, None and fields marked `SHARED` stay as they are.
    """
    taken: T = _each(value, lambda tensor: tensor[index])
    return taken


def first(value: T, count: int) -> T:
    """The first `count` videos, see `take`."""
    # Slicing costs a copy in the backward pass, so whole batches are left alone.
    cut: T = _each(value, lambda tensor: tensor if len(tensor) == count else tensor[:count])
    return cut


def _each(value: Any, change: Callable[[Tensor], Tensor]) -> Any:
    if isinstance(value, Tensor):
        return change(value)
    if isinstance(value, tuple):
        return tuple(_each(item, change) for item in value)
    if is_dataclass(value) and not isinstance(value, type):
        batched = (field.name for field in fields(value) if not field.metadata.get("shared"))
        return replace(value, **{name: _each(getattr(value, name), change) for name in batched})
    return value


@dataclass(frozen=True)
class Inputs:
    """What is known of B videos before anything is written.

    Attributes:
        features: (B, N, F) one row per candidate event, sorted by start.
        times: (B, N, 2) start and end as shares of the video, in [0, 1].
        scores: (B, N) proposal scores.
        event_mask: (B, N) True for real candidates.
        texts: (B, N, K, W) word ids of the K texts of each candidate; 0 is padding, K is 0 without texts.
        ingredients: (B, M, W) ids of the words of each ingredient; 0 is padding.
        ingredient_mask: (B, M) True for real ingredients; M may be 0.
        copy_words: (B, N, W, 2) ids of the words that may be copied when writing about a candidate (those heard around
            it, or the ingredient list), 0 for padding, and their places; None for models that do not copy.
    """

    features: Tensor
    times: Tensor
    scores: Tensor
    event_mask: Tensor
    texts: Tensor
    ingredients: Tensor
    ingredient_mask: Tensor
    copy_words: Tensor | None = None

    def __len__(self) -> int:
        return len(self.features)


@dataclass(frozen=True)
class Targets:
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
