"""The memory-augmented recurrent transformer layer (MART, Lei et al. 2020), the building block of both modules.

One layer, with input rows x and the layer's memory M (a few cells) left by the step before:

    A  = LN(x + SelfAttention(x))                      the rows see each other
    H  = GELU(W A)
    M₀ = LN(W mean + b)                                first step only: the mean of whatever starts the story
    x' = LN(A + W₂ W_p Attention(q=H, kv=[M; H]))      the rows see the memory
    S  = Attention(q=M, kv=H)                          the memory sees the rows
    C  = tanh(W_mc M + W_sc S + b)
    Z  = sigmoid(W_mz M + W_sz S + b)
    M' = (1 - Z) ⊙ C + Z ⊙ M

A and H know nothing of the memory, so `rows` is separate: where the input stays the same from step to step it is
computed once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from cookscribe.model.dropout import Dropout
from cookscribe.model.heads import Heads

LAYER_NORM_EPS = 1e-12


@dataclass(frozen=True)
class Settled:
    """Attention of rows over each other without any memory.

    Attributes:
        seen: (B, heads, L, d / heads) the weighted values.
        weight: (B, heads, L, 1) logarithm of the sum of the weights before they were normalised.
    """

    seen: Tensor
    weight: Tensor


@dataclass(frozen=True)
class Rows:
    """What a layer makes of its input before the memory comes in.

    Attributes:
        attended: (B, L, d), A above.
        hidden: (B, K, d), H of all rows that may be looked at (K = L without a cache, earlier rows included with one).
        query: (B, heads, L, d / heads), for reading; key, value: (B, heads, K, d / heads).
        self_key, self_value: (B, heads, K, d / heads), of the self-attention, kept for rows to come.
        settled: what the rows see in each other, if they stay the same for many memories.
    """

    attended: Tensor
    hidden: Tensor
    query: Tensor
    key: Tensor
    value: Tensor
    self_key: Tensor
    self_value: Tensor
    settled: Settled | None = None

    def first(self, count: int) -> Rows:
        """The same for the first `count` videos of the batch."""
        # Slicing costs a copy in the backward pass, so whole batches are left alone.
        return self if count == len(self.hidden) else self._map(lambda value: value[:count])

    def take(self, index: Tensor) -> Rows:
        """The same for the videos (or beams) in `index`."""
        return self._map(lambda value: value[index])

    def _map(self, change: Callable[[Tensor], Tensor]) -> Rows:
        settled = self.settled
        if settled is not None:
            settled = Settled(change(settled.seen), change(settled.weight))
        return Rows(
            change(self.attended),
            change(self.hidden),
            change(self.query),
            change(self.key),
            change(self.value),
            change(self.self_key),
            change(self.self_value),
            settled,
        )


class MemoryLayer(nn.Module):
    """One layer; see the module's text for the equations."""

    def __init__(self, width: int, heads: int, cells: int, dropout: float, attention_dropout: float) -> None:
        super().__init__()
        self.self_attention = Heads(width, heads, attention_dropout)
        self.self_output = nn.Linear(width, width)
        self.self_norm = nn.LayerNorm(width, eps=LAYER_NORM_EPS)
        self.intermediate = nn.Linear(width, width)

        self.start = nn.Linear(width, width, bias=False)
        self.start_bias = nn.Parameter(torch.zeros(cells, width))
        self.start_norm = nn.LayerNorm(width, eps=LAYER_NORM_EPS)

        self.read_attention = Heads(width, heads, attention_dropout)
        self.read_projection = nn.Linear(width, width)
        self.output = nn.Linear(width, width)
        self.output_norm = nn.LayerNorm(width, eps=LAYER_NORM_EPS)

        self.update_attention = Heads(width, heads, attention_dropout)
        # Rows of both matrices: first the candidate C, then the gate Z; the bias is written once.
        self.update_memory = nn.Linear(width, 2 * width, bias=False)
        self.update_seen = nn.Linear(width, 2 * width)
        self.dropout = Dropout(dropout)
        # W₂ W_p and its bias while the weights stay as they are, see `products_kept`.
        self.kept: tuple[Tensor, Tensor] | None = None

    def rows(self, x: Tensor, mask: Tensor | None, past: Rows | None = None) -> Rows:
        """Self-attention and intermediate.

        Args:
            x: (B, L, d).
            mask: True where a row may look, broadcastable to (B, heads, L, K); None for everywhere.
            past: the rows before these, when they come one by one.
        """
        query, key, value = self.self_attention.project(x)
        if past is not None:
            key = torch.cat((past.self_key, key), dim=2)
            value = torch.cat((past.self_value, value), dim=2)
        seen = self.self_attention.attend(query, key, value, mask)
        attended = self.self_norm(x + self.dropout(self.self_output(seen)))
        hidden = F.gelu(self.intermediate(attended))
        read_query, read_key, read_value = self.read_attention.project(hidden)
        if past is not None:
            hidden = torch.cat((past.hidden, hidden), dim=1)
            read_key = torch.cat((past.key, read_key), dim=2)
            read_value = torch.cat((past.value, read_value), dim=2)
        return Rows(attended, hidden, read_query, read_key, read_value, key, value)

    def settle(self, rows: Rows, mask: Tensor | None) -> Rows:
        """Rows that will be read with many memories: what they see in each other is computed once.

        Not with dropout on the attention, which is drawn anew for every step.
        """
        if self.training and self.read_attention.dropout:
            return rows
        scores = rows.query @ rows.key.transpose(2, 3) / math.sqrt(rows.query.shape[-1])
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        weight = scores.logsumexp(dim=-1, keepdim=True)
        return replace(rows, settled=Settled((scores - weight).exp() @ rows.value, weight))

    def initial(self, mean: Tensor) -> Tensor:
        """M₀, (B, cells, d), from a (B, d) summary of what starts the story."""
        start: Tensor = self.dropout(self.start_norm(self.start(mean).unsqueeze(1) + self.start_bias))
        return start

    def read(self, rows: Rows, memory: Tensor, mask: Tensor | None) -> Tensor:
        """The layer's output (B, L, d): rows look at memory and at each other.

        Args:
            mask: True where a row may look, broadcastable to (B, heads, L, K); the memory is always seen.
        """
        memory_key, memory_value = self.read_attention.keys_values(memory)
        if rows.settled is not None:
            # Softmax over memory and rows together, from its two parts.
            scores = rows.query @ memory_key.transpose(2, 3) / math.sqrt(rows.query.shape[-1])
            weights = torch.cat((scores, rows.settled.weight), dim=-1).softmax(dim=-1)
            joined = weights[..., :-1] @ memory_value + weights[..., -1:] * rows.settled.seen
            seen = joined.transpose(1, 2).flatten(2)
        else:
            if mask is not None:
                mask = F.pad(mask, (memory.shape[1], 0), value=True)
            seen = self.read_attention.attend(
                rows.query,
                torch.cat((memory_key, rows.key), dim=2),
                torch.cat((memory_value, rows.value), dim=2),
                mask,
            )
        output: Tensor = self.output_norm(rows.attended + self.dropout(self.joined_output(seen)))
        return output

    def joined_output(self, x: Tensor) -> Tensor:
        """W₂ W_p x. Nothing stands between the two matrices: with many rows, multiplying them first is cheaper."""
        if self.kept is not None:
            return F.linear(x, *self.kept)
        if x.shape[0] * x.shape[1] > 2 * x.shape[2]:
            return F.linear(x, *self._joined())
        output: Tensor = self.output(self.read_projection(x))
        return output

    def _joined(self) -> tuple[Tensor, Tensor]:
        weight = self.output.weight @ self.read_projection.weight
        return weight, F.linear(self.read_projection.bias, self.output.weight, self.output.bias)

    def update(self, memory: Tensor, hidden: Tensor, mask: Tensor | None) -> Tensor:
        """M', (B, cells, d), from the memory before and the rows H, (B, K, d).

        Mask (B, K) is True where a row counts.
        """
        seen = self.update_attention.few_to_many(memory, hidden, mask)
        candidate, gate = (self.update_memory(memory) + self.update_seen(seen)).chunk(2, dim=-1)
        gate = gate.sigmoid()
        updated: Tensor = (1 - gate) * candidate.tanh() + gate * memory
        return updated


@contextmanager
def products_kept(model: nn.Module) -> Iterator[None]:
    """Inside, every memory layer of the model multiplies its two output matrices once. Not for training."""
    layers = [layer for layer in model.modules() if isinstance(layer, MemoryLayer)]
    with torch.no_grad():
        for layer in layers:
            layer.kept = layer._joined()
    try:
        yield
    finally:
        for layer in layers:
            layer.kept = None


def masked_mean(x: Tensor, mask: Tensor) -> Tensor:
    """Mean over the rows that count: (B, L, d) and (B, L) give (B, d); zero where none counts."""
    weight = mask.to(x.dtype).unsqueeze(-1)
    return (x * weight).sum(dim=1) / weight.sum(dim=1).clamp(min=1)
