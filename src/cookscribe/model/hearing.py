"""Words heard around the chosen event: a third source of textual attention, and of words to copy.

With O the output vectors of a sentence (L, d) and X the W words heard around its event, each the sum of a word vector
and of the vector of its place (inside the event, before it, named in the ingredient list, ...), read together with its
two neighbours:

    Z_h = softmax(W^Q O (W^K X)ᵀ / √(d / heads))  per head,   U_h = Z_h W^V X           (beside Ŵ, U_m and U_a)
    p(word) = γ · p_vocabulary(word) + (1 - γ) · (sum of mean-over-heads Z_h at the places where the word was heard)
    γ = sigmoid(w · [O; U_h])                                                           (a pointer-generator)

So a word that is no word of the vocabulary can be written if it was heard: its id is the vocabulary's size plus its
number among the words that are read. Where nothing was heard, γ is 1 and U_h is 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from cookscribe.model.config import UNK, ModelConfig
from cookscribe.model.embedding import Perceptron
from cookscribe.model.simulator import masked_softmax

# Smallest probability whose logarithm is taken.
SMALLEST = 1e-9


@dataclass(frozen=True)
class Heard:
    """The words heard around events; the leading axes are (B, N), or (B,) for the chosen event of each video.

    Attributes:
        keys, values: (..., W, d).
        mask: (..., W) True for real words.
        words: (..., W) what is written when the word is copied: ids of the vocabulary and beyond.
    """

    keys: Tensor
    values: Tensor
    mask: Tensor
    words: Tensor

    def take(self, index: Tensor | slice | tuple[Tensor, Tensor]) -> Heard:
        """The rows in `index`."""
        return Heard(self.keys[index], self.values[index], self.mask[index], self.words[index])

    def chosen(self, slots: Tensor) -> Heard:
        """Around the chosen events, (B,) slots; STOP is slot 0 and has nothing to say."""
        rows = torch.arange(len(slots), device=slots.device)
        return self.take((rows, (slots - 1).clamp(min=0)))


@dataclass(frozen=True)
class Copying:
    """How much is copied, and from where.

    Attributes:
        context: (B, L, d), U_h.
        gate: (B, L), γ; attention: (B, L, W), mean of Z_h over the heads; words: (B, W) of `Heard`.
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
        both = torch.cat((spoken, spoken.new_zeros(*spoken.shape[:-1], read_words)), dim=-1)
        copied = (1 - self.gate).unsqueeze(-1) * self.attention
        places = self.words.unsqueeze(1).expand_as(copied)
        return both.scatter_add(-1, places, copied.to(both.dtype)).clamp(min=SMALLEST).log()


class Hearing(nn.Module):
    """Reads the words heard around every event, and lets the words of a sentence look at them."""

    copies: Tensor

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        width = config.width
        self.heads = config.heads
        self.vocabulary = config.vocabulary_size
        self.table = nn.Embedding(config.input_words, config.word_vector_size, padding_idx=0)
        self.place = nn.Embedding(config.heard_places, width)
        self.perceptron = Perceptron(config.word_vector_size, width, config.dropout)
        self.neighbours = nn.Linear(3 * width, width)
        self.norm = nn.LayerNorm(width)
        self.query, self.key, self.value = (nn.Linear(width, width) for _ in range(3))
        self.gate = nn.Linear(2 * width, 1)
        # What to write when a read word is copied; by default every one is beyond the vocabulary.
        self.register_buffer("copies", torch.arange(config.input_words) + config.vocabulary_size)

    def set_copies(self, words: Sequence[int]) -> None:
        """Say for every read word which id of the vocabulary it is; below 0 for those it does not hold."""
        known = torch.tensor(list(words), device=self.copies.device)
        beyond = torch.arange(len(known), device=self.copies.device) + self.vocabulary
        self.copies.copy_(torch.where(known >= 0, known, beyond))

    def encode(self, heard: Tensor) -> Heard:
        """(B, N, W, 2) word ids, 0 for padding, and their places."""
        words, places = heard.unbind(dim=-1)
        mask = words != 0
        rows = (self.perceptron(self.table(words)) + self.place(places)) * mask.unsqueeze(-1)
        around = nn.functional.pad(rows, (0, 0, 1, 1))
        joined = torch.cat((around[..., :-2, :], rows, around[..., 2:, :]), dim=-1)
        rows = self.norm(rows + torch.relu(self.neighbours(joined)))
        return Heard(self.key(rows), self.value(rows), mask, self.copies[words])

    def forward(self, words: Tensor, heard: Heard) -> Copying:
        """(B, L, d) output vectors look at the words around their event."""
        query, key, value = (self._split(x) for x in (self.query(words), heard.keys, heard.values))
        scores = query @ key.transpose(-1, -2) / math.sqrt(query.shape[-1])
        attention = masked_softmax(scores, heard.mask[:, None, None, :])
        context = (attention @ value).transpose(1, 2).flatten(2)
        gate = torch.sigmoid(self.gate(torch.cat((words, context), dim=-1))).squeeze(-1)
        gate = torch.where(heard.mask.any(dim=-1, keepdim=True), gate, torch.ones_like(gate))
        return Copying(context, gate, attention.mean(dim=1), heard.words)

    def _split(self, x: Tensor) -> Tensor:
        """(B, L, d) to (B, heads, L, d / heads)."""
        return x.view(*x.shape[:2], self.heads, -1).transpose(1, 2)

    def spoken(self, words: Tensor) -> Tensor:
        """Ids that the word embedding knows: a copied word beyond the vocabulary is fed back as the unknown word."""
        return torch.where(words < self.vocabulary, words, torch.full_like(words, UNK))
