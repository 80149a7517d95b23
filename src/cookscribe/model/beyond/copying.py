"""Copying: a pointer-generator over words that come with the chosen event, and a third source of textual attention.

The words are those heard around the event, or those of the ingredient list. With O the output vectors of a sentence
(L, d) and X the W words of its event, each the sum of a word vector and of the vector of its place (inside the event,
before it, named in the ingredient list, ...), a part of its two neighbours added:

    Z_h = softmax(W^Q O (W^K X)ᵀ / √(d / heads))  per head,   U_h = Z_h W^V X           (beside Ŵ, U_m and U_a)
    p(word) = γ · p_vocabulary(word) + (1 - γ) · (sum of mean-over-heads Z_h at the places where the word stands)
    γ = sigmoid(w · [O; U_h])                                                           (See et al. 2017)

With `copy_layers`, the words see each other before anybody looks at them (`SourceLayer`): "oil" after "heat the" is
another word than "oil" after "without".

So a word that is no word of the vocabulary can be written if it can be copied: its id is the vocabulary's size plus its
number among the words that are read. Where there is nothing to copy, γ is 1 and U_h is 0.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from cookscribe.model.config import UNK, ModelConfig
from cookscribe.model.heads import Dropout, Heads
from cookscribe.model.simulator import masked_softmax

# Smallest probability whose logarithm is taken.
SMALLEST = 1e-9


@dataclass(frozen=True)
class CopySource:
    """The words that may be copied when writing about the chosen event of each video.

    Attributes:
        keys, values: (B, W, d).
        mask: (B, W) True for real words.
        words: (B, W) what is written when the word is copied: ids of the vocabulary and beyond.
    """

    keys: Tensor
    values: Tensor
    mask: Tensor
    words: Tensor


@dataclass(frozen=True)
class CopyAttention:
    """How much is copied, and from where.

    Attributes:
        context: (B, L, d), U_h.
        gate: (B, L), γ; attention: (B, L, W), mean of Z_h over the heads; words: (B, W) of `CopySource`.
    """

    context: Tensor
    gate: Tensor
    attention: Tensor
    words: Tensor

    def mass(self, labels: Tensor) -> Tensor:
        """(B, L) attention to the words that are the labels, (B, L)."""
        return (self.attention * (self.words.unsqueeze(1) == labels.unsqueeze(2))).sum(dim=-1)

    def log_probabilities(self, logits: Tensor, read_words: int) -> Tensor:
        """(B, L, vocabulary) scores give (B, L, vocabulary + read_words) log-probabilities of all that can be said."""
        spoken = logits.float().softmax(dim=-1) * self.gate.unsqueeze(-1)
        copied = (1 - self.gate).unsqueeze(-1) * self.attention
        places = self.words.unsqueeze(1).expand_as(copied)
        # In place, because there are many read words and decoding comes here for every word.
        both = F.pad(spoken, (0, read_words))
        return both.scatter_add_(-1, places, copied.to(both.dtype)).clamp_(min=SMALLEST).log_()


class SourceLayer(nn.Module):
    """Words that may be copied see the two words on either side, then all others:

    Y = LN(X + GELU(convolution of 5 words)),   X' = LN(Y + W SelfAttention(Y))
    """

    def __init__(self, size: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.phrase = nn.Conv1d(size, size, 5, padding=2)
        self.phrase_norm = nn.LayerNorm(size)
        self.attention = Heads(size, heads, 0.0)
        self.output = nn.Linear(size, size)
        self.norm = nn.LayerNorm(size)
        self.dropout = Dropout(dropout)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """(B, W, size) words, of which (B, W) are real."""
        phrase = self.phrase((x * mask.unsqueeze(-1)).transpose(1, 2)).transpose(1, 2)
        x = self.phrase_norm(x + self.dropout(F.gelu(phrase)))
        # Where there is no word, padding sees itself: the result is unused, but must be a number.
        seen = (mask | ~mask.any(dim=1, keepdim=True))[:, None, None, :]
        found: Tensor = self.norm(
            x + self.dropout(self.output(self.attention.attend(*self.attention.project(x), seen)))
        )
        return found


class PointerGenerator(nn.Module):
    """Reads the words that come with an event, and lets the words of a sentence look at them and copy them."""

    copies: Tensor

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        width, size = config.width, config.word_vector_size
        self.heads = config.heads
        self.vocabulary = config.vocabulary_size
        self.table = nn.Embedding(config.input_words, size, padding_idx=0)
        self.place = nn.Embedding(config.copy_places, size)
        # How much of the word before and of the word behind is mixed into each number.
        self.neighbours = nn.Parameter(torch.zeros(2, size))
        self.norm = nn.LayerNorm(size)
        self.dropout = Dropout(config.dropout)
        self.layers = nn.ModuleList(SourceLayer(size, config.heads, config.dropout) for _ in range(config.copy_layers))
        self.query = nn.Linear(width, width)
        self.key, self.value = nn.Linear(size, width), nn.Linear(size, width)
        self.gate = nn.Linear(2 * width, 1)
        # What to write when a read word is copied; by default every one is beyond the vocabulary.
        self.register_buffer("copies", torch.arange(config.input_words) + config.vocabulary_size)

    def set_copies(self, words: Sequence[int]) -> None:
        """Say for every read word which id of the vocabulary it is; below 0 for those it does not hold."""
        known = torch.tensor(list(words), device=self.copies.device)
        beyond = torch.arange(len(known), device=self.copies.device) + self.vocabulary
        self.copies.copy_(torch.where(known >= 0, known, beyond))

    def encode(self, copy_words: Tensor, slots: Tensor) -> CopySource:
        """Read the words of the chosen events.

        Only these are encoded, once each: most candidates are never written about.

        Args:
            copy_words: (B, N, W, 2) word ids, 0 for padding, and their places, of all candidates.
            slots: (B,) the chosen ones; slot n + 1 is candidate n.
        """
        chosen = copy_words[torch.arange(len(slots), device=slots.device), (slots - 1).clamp(min=0)]
        longest = int((chosen[..., 0] != 0).any(dim=0).nonzero().max()) + 1 if (chosen[..., 0] != 0).any() else 1
        words, places = chosen[:, :longest].unbind(dim=-1)
        mask = words != 0
        rows = (self.table(words) + self.place(places)) * mask.unsqueeze(-1)
        around = F.pad(rows, (0, 0, 1, 1))
        rows = self.norm(rows + self.neighbours[0] * around[..., :-2, :] + self.neighbours[1] * around[..., 2:, :])
        rows = self.dropout(rows)
        for layer in self.layers:
            rows = layer(rows, mask)
        return CopySource(self.key(rows), self.value(rows), mask, self.copies[words])

    def forward(self, words: Tensor, source: CopySource) -> CopyAttention:
        """(B, L, d) output vectors look at the words of their event."""
        query, key, value = (self._split(x) for x in (self.query(words), source.keys, source.values))
        scores = query @ key.transpose(-1, -2) / math.sqrt(query.shape[-1])
        attention = masked_softmax(scores, source.mask[:, None, None, :])
        context = (attention @ value).transpose(1, 2).flatten(2)
        gate = torch.sigmoid(self.gate(torch.cat((words, context), dim=-1))).squeeze(-1)
        gate = torch.where(source.mask.any(dim=-1, keepdim=True), gate, torch.ones_like(gate))
        return CopyAttention(context, gate, attention.mean(dim=1), source.words)

    def _split(self, x: Tensor) -> Tensor:
        """(B, L, d) to (B, heads, L, d / heads)."""
        return x.view(*x.shape[:2], self.heads, -1).transpose(1, 2)

    def embedding_ids(self, words: Tensor) -> Tensor:
        """Ids that the word embedding knows: a copied word beyond the vocabulary goes in as the unknown word."""
        return torch.where(words < self.vocabulary, words, torch.full_like(words, UNK))
