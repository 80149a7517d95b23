"""The event selector: which candidate comes next?

The event transformer turns the candidates (and the ingredients, if there are any) into vectors h_n; the probability
of slot n is the softmax of <V_t, h_n>, with V_t the element-wise maximum of the updated memories of all layers. Slot
0 is STOP.

The embeddings and the first layer's self-attention do not depend on the memory, so `encode` computes them once per
video; `step` does what is left for each step.
"""

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from cookscribe.model.batch import Inputs
from cookscribe.model.config import ModelConfig
from cookscribe.model.embedding import EventEmbedding
from cookscribe.model.memory import MemoryLayer, Rows, masked_mean
from cookscribe.model.mixing import Memory

GUMBEL_TEMPERATURE = 0.5


@dataclass(frozen=True)
class EncodedEvents:
    """What does not change from step to step.

    Attributes:
        rows: the first layer's rows over slots and ingredients.
        slots: N + 1.
        slot_mask: (B, N + 1) True for STOP and real candidates.
        row_mask: (B, N + 1 + M) the same with the ingredients behind.
    """

    rows: Rows
    slots: int
    slot_mask: Tensor
    row_mask: Tensor


class EventSelector(nn.Module):
    """Event embedding and event transformer, with one memory per layer."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.embedding = EventEmbedding(config)
        self.layers = nn.ModuleList(
            MemoryLayer(config.width, config.heads, config.memory_cells, config.dropout, config.attention_dropout)
            for _ in range(config.layers)
        )
        self.scale = math.sqrt(config.width) if config.logits_scale == "sqrt" else 1.0

    def _layer(self, number: int) -> MemoryLayer:
        layer = self.layers[number]
        assert isinstance(layer, MemoryLayer)
        return layer

    def encode(self, inputs: Inputs, ingredients: Tensor | None) -> EncodedEvents:
        """Embed the candidates and run the first layer's self-attention.

        Args:
            ingredients: (B, M, d) encoded ingredients, or None.
        """
        x = self.embedding(inputs)
        slots = x.shape[1]
        slot_mask = F.pad(inputs.event_mask, (1, 0), value=True)
        row_mask = slot_mask
        if ingredients is not None:
            x = torch.cat((x, ingredients), dim=1)
            row_mask = torch.cat((slot_mask, inputs.ingredient_mask), dim=1)
        rows = self._layer(0).rows(x, row_mask[:, None, None, :], cache=True)
        return EncodedEvents(rows, slots, slot_mask, row_mask)

    def step(self, encoded: EncodedEvents, memory: Memory | None) -> tuple[Tensor, Memory]:
        """One step of the event transformer.

        Args:
            memory: what the step before left (mixed), or None at the first step.

        Returns:
            h: (B, N + 1, d) and the updated, not yet mixed memory.
        """
        mask = encoded.row_mask[:, None, None, :]
        rows = encoded.rows
        updated: list[Tensor] = []
        x = rows.attended
        for number in range(len(self.layers)):
            layer = self._layer(number)
            if number > 0:
                rows = layer.rows(x, mask)
            # The story starts from all candidates: the mean of this layer's rows.
            before = memory[number] if memory is not None else layer.initial(masked_mean(rows.hidden, encoded.row_mask))
            x = layer.read(rows, before, mask)
            updated.append(layer.update(before, rows.hidden, encoded.row_mask))
        return x[:, : encoded.slots], tuple(updated)

    def logits(self, hidden: Tensor, memory: Memory, slot_mask: Tensor) -> Tensor:
        """(B, N + 1) unnormalised log-probabilities of the slots; padding gets minus infinity.

        Args:
            hidden: (B, N + 1, d) vectors of the slots (H, or Ḣ of the visual simulator).
            memory: the updated memory of each layer; V_t is the element-wise maximum over layers and cells.
        """
        pooled = torch.cat(memory, dim=1).amax(dim=1)
        # Scores are compared, so autocast does not round them.
        with torch.autocast(hidden.device.type, enabled=False):
            logits = torch.einsum("bnd,bd->bn", hidden, pooled.to(hidden.dtype)) / self.scale
        return logits.masked_fill(~slot_mask, float("-inf"))


def gumbel_choice(logits: Tensor) -> Tensor:
    """A sampled slot as a one-hot row, (B, N + 1), that passes gradients as if it were soft (straight-through)."""
    noise = -torch.empty_like(logits).exponential_().log()
    soft = ((logits.log_softmax(dim=-1) + noise) / GUMBEL_TEMPERATURE).softmax(dim=-1)
    hard = torch.zeros_like(soft).scatter_(-1, soft.argmax(dim=-1, keepdim=True), 1.0)
    return hard + soft - soft.detach()
