"""The six losses of the paper, one small method each, and the planner's losses beside them.

Selection and attention losses are negative log-likelihoods at the labelled places only: the printed log(Â ⊙ label)
would be the logarithm of zero everywhere else.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from cookscribe.model.beyond.plan_losses import PLAN_LOSSES, PlanLosses
from cookscribe.model.config import LossConfig

LOSSES = ("event", "sentence", "ingredient_selection", "action_selection", "ingredient_attention", "action_attention")

# A probability that underflows to zero still gives a finite loss.
SMALLEST = 1e-9


@dataclass(frozen=True)
class Outputs:
    """What a training pass leaves for the losses. E steps (STOP included) and K words of all videos, one after another.

    Attributes:
        event_logits: (E, N + 1); event_labels: (E,) slots; slot_mask: (E, N + 1) True for real slots.
        word_logits: (K, vocabulary); word_labels: (K,).
        copied: (K, 2) for models that copy words: the gate, and the attention to words that are the label.
        ingredient_selection, action_selection: (any,) probability Ĝ or Â at each labelled ingredient or action and
            oracle event.
        ingredient_attention, action_attention: (any,) probability Z_m or Z_a at each labelled word.
        videos: number of videos.
        plan: the losses of the planner, or None without one.
    """

    event_logits: Tensor
    event_labels: Tensor
    slot_mask: Tensor
    word_logits: Tensor
    word_labels: Tensor
    ingredient_selection: Tensor
    action_selection: Tensor
    ingredient_attention: Tensor
    action_attention: Tensor
    videos: int
    plan: PlanLosses | None = None
    copied: Tensor | None = None


def smoothed_nll(logits: Tensor, labels: Tensor, smoothing: float, mask: Tensor | None = None) -> Tensor:
    """Negative log-likelihood with label smoothing, one value per row.

    The label gets 1 - smoothing, the other classes share the rest. Classes outside `mask` do not exist.

    Args:
        logits: (E, K); labels: (E,); mask: (E, K) True for real classes, or None for all.
    """
    log_probability = logits.float().log_softmax(dim=-1)
    of_label = log_probability.gather(1, labels.unsqueeze(1)).squeeze(1)
    if smoothing == 0:
        return -of_label
    if mask is None:
        total = log_probability.sum(dim=1)
        others = torch.full_like(total, logits.shape[1] - 1)
    else:
        total = log_probability.masked_fill(~mask, 0.0).sum(dim=1)
        others = (mask.sum(dim=1) - 1).to(total.dtype)
    rest = (total - of_label) / others.clamp(min=1)
    # With a single class there is nothing to share with.
    share = smoothing * (others > 0)
    return -(1 - share) * of_label - share * rest


def copied_nll(logits: Tensor, labels: Tensor, copied: Tensor, smoothing: float) -> Tensor:
    """Negative log-likelihood of words that may be copied, one value per row: -log(gate · p + (1 - gate) · mass).

    Labels beyond the vocabulary can only be copied. Smoothing shares over the words of the vocabulary.

    Args:
        logits: (K, vocabulary); labels: (K,); copied: (K, 2) gate and attention to the label.
    """
    log_probability = logits.float().log_softmax(dim=-1)
    gate, mass = copied.float().unbind(dim=1)
    spoken = labels < logits.shape[1]
    of_label = log_probability.gather(1, torch.where(spoken, labels, 0).unsqueeze(1)).squeeze(1).exp() * spoken
    likelihood = -(gate * of_label + (1 - gate) * mass).clamp(min=SMALLEST).log()
    return (1 - smoothing) * likelihood - smoothing * log_probability.mean(dim=1)


class StoryLosses:
    """Each loss as the values of its items; `__call__` adds them up and says what to divide by."""

    def __init__(self, config: LossConfig) -> None:
        self.config = config

    def event(self, outputs: Outputs) -> Tensor:
        """L_e: the oracle event of each step, and STOP at the end."""
        smoothing = self.config.event_smoothing
        return smoothed_nll(outputs.event_logits, outputs.event_labels, smoothing, outputs.slot_mask)

    def sentence(self, outputs: Outputs) -> Tensor:
        """L_s: every word of every sentence, EOS included."""
        if outputs.copied is None:
            return smoothed_nll(outputs.word_logits, outputs.word_labels, self.config.word_smoothing)
        return copied_nll(outputs.word_logits, outputs.word_labels, outputs.copied, self.config.word_smoothing)

    def ingredient_selection(self, outputs: Outputs) -> Tensor:
        """L_is: each ingredient the sentence names looks at the oracle event."""
        return _negative_log(outputs.ingredient_selection)

    def action_selection(self, outputs: Outputs) -> Tensor:
        """L_as: each action the sentence names looks at the oracle event."""
        return _negative_log(outputs.action_selection)

    def ingredient_attention(self, outputs: Outputs) -> Tensor:
        """L_ia: a word that is part of an ingredient looks at that ingredient."""
        return _negative_log(outputs.ingredient_attention)

    def action_attention(self, outputs: Outputs) -> Tensor:
        """L_aa: a word that is an action looks at that action."""
        return _negative_log(outputs.action_attention)

    @property
    def weights(self) -> dict[str, float]:
        """The weight of every loss by name."""
        return {name: float(getattr(self.config, name)) for name in (*LOSSES, *PLAN_LOSSES)}

    def __call__(self, outputs: Outputs) -> dict[str, tuple[Tensor, float]]:
        """Name to (sum of the items, what to divide it by), for every loss with a weight."""
        terms: dict[str, tuple[Tensor, float]] = {}
        for name, weight in self.weights.items():
            if weight == 0:
                continue
            if name in PLAN_LOSSES:
                if outputs.plan is not None and outputs.plan.knows(name):
                    terms[name] = outputs.plan(name)
                continue
            values: Tensor = getattr(self, name)(outputs)
            divisor = outputs.videos if self.config.reduction == "sum" else values.numel()
            terms[name] = (values.sum(), float(divisor))
        return terms

    def total(self, outputs: Outputs) -> Tensor:
        """The weighted sum of all losses, for a batch that one process has whole."""
        terms = self(outputs)
        parts = [self.weights[name] * value / max(divisor, 1.0) for name, (value, divisor) in terms.items()]
        return torch.stack(parts).sum()


def _negative_log(probability: Tensor) -> Tensor:
    return -probability.float().clamp(min=SMALLEST).log()
