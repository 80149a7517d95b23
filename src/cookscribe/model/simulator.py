"""The dot-product visual simulator: which actions change which ingredients in which candidate event?

With H the N candidates, A the R actions and G the M ingredients in the state the step before left them (rows are
vectors here, the paper writes columns), every softmax over a row:

    Â = softmax(W_a^Q A (W_h^K H)ᵀ / √d)   Ȧ = Â W_h^V H           each action looks for its event
    Ĝ = softmax(W_g^Q G (W_h^K H)ᵀ / √d)   Ġ = Ĝ W_h^V H           each ingredient looks for its event
    Ḣ_a = softmax(W_h^Q H (W_a^K A)ᵀ / √d) W_a^V A                   each event looks for its actions
    Ḣ_g = softmax(W_h^Q H (W_g^K G)ᵀ / √d) W_g^V G                   each event looks for its ingredients
    G' = G + Ġ ⊙ max over actions of Ȧ                               the ingredients change
    Ḣ = H + Ḣ_a + Ḣ_g                                                decides about the events

STOP is no event of the video: actions and ingredients do not look at it, but its own Ḣ is computed like the others'.

As printed, Ȧ is a mixture of event vectors only, so two actions that look at the same event become the same vector
and textual attention cannot tell them apart. `action_states = "residual"` keeps the action's own vector for
textual attention, Ȧ = A + Â W_h^V H.
"""

import math
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn

from cookscribe.model.batch import SHARED
from cookscribe.model.config import ModelConfig
from cookscribe.model.heads import additive_mask


@dataclass(frozen=True)
class Simulation:
    """What one step of the simulator gives.

    Attributes:
        events: (B, N + 1, d), Ḣ: replaces H in the event probabilities.
        ingredient_states: (B, M, d), G': for textual attention and the next step.
        action_events: (B, R, N), Â; ingredient_events: (B, M, N), Ĝ: supervised by the selection losses.
        event_values: (B, N, d), W_h^V H.
        table: (R, d), A where it is kept in the action states, else None.
    """

    events: Tensor
    ingredient_states: Tensor
    action_events: Tensor
    ingredient_events: Tensor
    event_values: Tensor
    table: Tensor | None = field(metadata=SHARED)

    def action_states(self) -> Tensor:
        """(B, R, d), Ȧ. Large: whoever can, works with its two factors."""
        states = self.action_events @ self.event_values
        return states if self.table is None else states + self.table


@dataclass(frozen=True)
class ProjectedActions:
    """The action table and its three projections, (R, d) each: the same for all videos and steps."""

    table: Tensor
    query: Tensor
    key: Tensor
    value: Tensor


class VisualSimulator(nn.Module):
    """Action selector, ingredient selector and updater."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        width = config.width
        self.residual = config.action_states == "residual"
        self.actions = nn.Parameter(torch.empty(config.actions, width))
        self.action_query = nn.Linear(width, width)
        self.action_key = nn.Linear(width, width)
        self.action_value = nn.Linear(width, width)
        self.event_query = nn.Linear(width, width)
        self.event_key = nn.Linear(width, width)
        self.event_value = nn.Linear(width, width)
        self.ingredient_query = nn.Linear(width, width)
        self.ingredient_key = nn.Linear(width, width)
        self.ingredient_value = nn.Linear(width, width)

    def project_actions(self) -> ProjectedActions:
        """Once per batch."""
        table = self.actions
        return ProjectedActions(table, self.action_query(table), self.action_key(table), self.action_value(table))

    def forward(
        self, hidden: Tensor, slot_mask: Tensor, ingredients: Tensor, ingredient_mask: Tensor, actions: ProjectedActions
    ) -> Simulation:
        """One step.

        Args:
            hidden: (B, N + 1, d), H with STOP in slot 0; slot_mask: (B, N + 1).
            ingredients: (B, M, d), G of the step before; ingredient_mask: (B, M).
        """
        root = math.sqrt(hidden.shape[-1])
        event_mask = slot_mask[:, None, 1:]
        query = self.event_query(hidden)
        key, value = self.event_key(hidden[:, 1:]), self.event_value(hidden[:, 1:])

        # The action table is the same for all videos: one product for the whole batch, whose rows are read often.
        action_scores = (key / root @ actions.query.T).transpose(1, 2).contiguous()
        action_events = masked_softmax(action_scores, event_mask)
        ingredient_scores = self.ingredient_query(ingredients) @ key.transpose(1, 2) / root
        ingredient_events = masked_softmax(ingredient_scores, event_mask)
        change = (ingredient_events @ value) * strongest(action_events, value).unsqueeze(1)

        by_action = (query @ actions.key.T / root).softmax(dim=-1) @ actions.value
        wanted = query @ self.ingredient_key(ingredients).transpose(1, 2) / root
        by_ingredient = masked_softmax(wanted, ingredient_mask[:, None, :]) @ self.ingredient_value(ingredients)
        return Simulation(
            events=hidden + by_action + by_ingredient,
            ingredient_states=ingredients + change,
            action_events=action_events,
            ingredient_events=ingredient_events,
            event_values=value,
            table=actions.table if self.residual else None,
        )


def strongest(action_events: Tensor, event_values: Tensor) -> Tensor:
    """Element-wise maximum over actions of Â W_h^V H, (B, d), without keeping that (B, R, d) product for gradients.

    Which action is strongest in each of the d places is found first; only those d rows of Â are then multiplied again.

    Args:
        action_events: (B, R, N), Â; event_values: (B, N, d).
    """
    with torch.no_grad():
        winner = (action_events @ event_values).max(dim=1).indices
    rows = action_events.gather(1, winner.unsqueeze(-1).expand(-1, -1, action_events.shape[2]))
    return torch.einsum("bdn,bnd->bd", rows, event_values)


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    """Softmax over the last axis where `mask` is True, zero elsewhere; all zero where nothing is there to look at."""
    # The lowest finite number instead of minus infinity: a row of nothing but padding must give zeros, not NaN.
    weights = (scores + additive_mask(mask, scores, torch.finfo(scores.dtype).min)).softmax(dim=-1)
    return weights * mask.any(dim=-1, keepdim=True).to(weights.dtype)
