"""Textual attention: every word looks at the ingredients' states and at the actions' before it is spoken.

    Z_m = softmax(Ŵ Gᵀ / √d),  U_m = Z_m G
    Z_a = softmax(Ŵ Ȧᵀ / √d),  U_a = Z_a Ȧ
    Û = [Ŵ; U_m; U_a]

Ȧ is a product Â V of (R, N) and (N, d), so that Ŵ Ȧᵀ = (Ŵ Vᵀ) Âᵀ and Z_a Ȧ = (Z_a Â) V: with N candidates instead of
R actions in the middle the (R, d) matrix is never built.
"""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from cookscribe.model.simulator import Simulation, masked_softmax


@dataclass(frozen=True)
class WordContext:
    """What the words attended to.

    Attributes:
        words: (B, L, 3d), Û.
        ingredients: (B, L, M), Z_m: rows add up to one, or are zero when there is no ingredient.
        actions: (B, L, R), Z_a.
    """

    words: Tensor
    ingredients: Tensor
    actions: Tensor


def textual_attention(words: Tensor, ingredient_mask: Tensor, simulation: Simulation) -> WordContext:
    """(B, L, d) output vectors look at the ingredients, (B, M) mask, and actions as the simulator left them."""
    root = math.sqrt(words.shape[-1])
    ingredients, values, table = simulation.ingredient_states, simulation.event_values, simulation.table
    to_ingredients = masked_softmax(words @ ingredients.transpose(1, 2) / root, ingredient_mask[:, None, :])
    scores = (words @ values.transpose(1, 2)) @ simulation.action_events.transpose(1, 2)
    if table is not None:
        scores = scores + words @ table.T
    to_actions = (scores / root).softmax(dim=-1)
    of_actions = (to_actions @ simulation.action_events) @ values
    if table is not None:
        of_actions = of_actions + to_actions @ table
    context = torch.cat((words, to_ingredients @ ingredients, of_actions), dim=-1)
    return WordContext(context, to_ingredients, to_actions)
