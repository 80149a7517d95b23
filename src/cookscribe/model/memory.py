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
computed once. What else can be computed once is in `beyond/fast.py`, which a reader of the equations may skip.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from cookscribe.model.beyond.fast import CachedAttention, LinearPair
from cookscribe.model.heads import Dropout, Heads

LAYER_NORM_EPS = 1e-12


@dataclass(frozen=True)
class Rows:
    """What a layer makes of its input before the memory comes in.

    Attributes:
        attended: (B, L, d), A above.
        hidden: (B, K, d), H of all rows that may be looked at (K = L without a cache, earlier rows included with one).
        query: (B, heads, L, d / heads), for reading; key, value: (B, heads, K, d / heads).
        self_key, self_value: (B, heads, K, d / heads), of the self-attention, kept for rows to come.
        cached: what the rows see in each other, if they stay the same for many memories.
    """

    attended: Tensor
    hidden: Tensor
    query: Tensor
    key: Tensor
    value: Tensor
    self_key: Tensor
    self_value: Tensor
    cached: CachedAttention | None = None


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
        self.read_output = LinearPair(width)
        self.output_norm = nn.LayerNorm(width, eps=LAYER_NORM_EPS)

        self.update_attention = Heads(width, heads, attention_dropout)
        # Rows of both matrices: first the candidate C, then the gate Z; the bias is written once.
        self.update_memory = nn.Linear(width, 2 * width, bias=False)
        self.update_seen = nn.Linear(width, 2 * width)
        self.dropout = Dropout(dropout)

    def rows(self, x: Tensor, mask: Tensor | None, past: Rows | None = None, *, cache: bool = False) -> Rows:
        """Self-attention and intermediate.

        Args:
            x: (B, L, d).
            mask: True where a row may look, broadcastable to (B, heads, L, K); None for everywhere.
            past: the rows before these, when they come one by one.
            cache: True if they will be read with many memories: what they see in each other is computed once. Not with
                dropout on the attention, which is drawn anew for every step.
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
        cached: CachedAttention | None = None
        if cache and not (self.training and self.read_attention.dropout):
            cached = CachedAttention.of(read_query, read_key, read_value, mask)
        return Rows(attended, hidden, read_query, read_key, read_value, key, value, cached)

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
        if rows.cached is not None:
            seen = rows.cached.join(rows.query, memory_key, memory_value)
        else:
            if mask is not None:
                mask = F.pad(mask, (memory.shape[1], 0), value=True)
            seen = self.read_attention.attend(
                rows.query, torch.cat((memory_key, rows.key), dim=2), torch.cat((memory_value, rows.value), dim=2), mask
            )
        output: Tensor = self.output_norm(rows.attended + self.dropout(self.read_output(seen)))
        return output

    def update(self, memory: Tensor, hidden: Tensor, mask: Tensor | None) -> Tensor:
        """M', (B, cells, d), from the memory before and the rows H, (B, K, d).

        Mask (B, K) is True where a row counts.
        """
        seen = self.update_attention.few_to_many(memory, hidden, mask)
        candidate, gate = (self.update_memory(memory) + self.update_seen(seen)).chunk(2, dim=-1)
        gate = gate.sigmoid()
        updated: Tensor = (1 - gate) * candidate.tanh() + gate * memory
        return updated


def masked_mean(x: Tensor, mask: Tensor) -> Tensor:
    """Mean over the rows that count: (B, L, d) and (B, L) give (B, d); zero where none counts."""
    weight = mask.to(x.dtype).unsqueeze(-1)
    return (x * weight).sum(dim=1) / weight.sum(dim=1).clamp(min=1)
