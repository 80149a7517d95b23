"""The sentence generator: what is done in the chosen event?

A sentence is opened with the chosen event, extended by words and closed: closing updates the memory once from the
finished sentence. Training extends by all words at once (they are known), decoding word by word; the keys and
values of earlier rows are kept in the open sentence, so both run the same code and no word is computed twice.
Ingredient rows stand before the words; words see the ingredients and the words before them, ingredients see
ingredients only.
"""

from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from cookscribe.model.beyond.copying import CopySource
from cookscribe.model.config import ModelConfig
from cookscribe.model.embedding import WordEmbedding
from cookscribe.model.memory import LAYER_NORM_EPS, MemoryLayer, Rows
from cookscribe.model.mixing import Memory


@dataclass(frozen=True)
class FinishedSentence:
    """What a finished sentence leaves for the memory.

    Attributes:
        event, memory, prefix_mask: of `OpenSentence`.
        hidden: per layer, (B, M + words, d) its rows H.
    """

    event: Tensor
    memory: Memory
    hidden: tuple[Tensor, ...]
    prefix_mask: Tensor


@dataclass(frozen=True)
class OpenSentence:
    """A sentence being written.

    Attributes:
        event: (B, d) the chosen event, added to every word.
        memory: per layer, what the sentences before left.
        past: per layer, the rows so far (ingredients, then words), or None when there are none yet.
        prefix_mask: (B, M) True for real ingredients; M is 0 without ingredients.
        length: number of words so far.
        source: the words that may be copied, or None.
    """

    event: Tensor
    memory: Memory
    past: tuple[Rows | None, ...]
    prefix_mask: Tensor
    length: int
    source: CopySource | None = None

    def finished(self) -> FinishedSentence:
        """The sentence as it is."""
        rows = tuple(rows.hidden for rows in self.past if rows is not None)
        return FinishedSentence(self.event, self.memory, rows, self.prefix_mask)


class SentenceGenerator(nn.Module):
    """Word embedding and sentence transformer, with one memory per layer."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.embedding = WordEmbedding(config)
        self.layers = nn.ModuleList(
            MemoryLayer(config.width, config.heads, config.memory_cells, config.dropout, config.attention_dropout)
            for _ in range(config.layers)
        )

    def _layer(self, number: int) -> MemoryLayer:
        layer = self.layers[number]
        assert isinstance(layer, MemoryLayer)
        return layer

    def encode(self, ingredients: Tensor | None, mask: Tensor) -> Rows | None:
        """First-layer rows of the encoded ingredients, (B, M, d).

        The same at every step, so computed once per video.
        """
        if ingredients is None or ingredients.shape[1] == 0:
            return None
        return self._layer(0).rows(ingredients, _prefix_view(mask))

    def open(self, event: Tensor, memory: Memory | None, ingredients: Rows | None, mask: Tensor) -> OpenSentence:
        """Begin a sentence.

        Args:
            event: (B, d) vector of the chosen event; at the first step the memory starts from it.
            memory: what the step before left (mixed), or None at the first step.
            ingredients: from `encode`.
            mask: (B, M) True for real ingredients.
        """
        if memory is None:
            memory = tuple(self._layer(number).initial(event) for number in range(len(self.layers)))
        past: list[Rows | None] = [ingredients]
        for number in range(1, len(self.layers)):
            if ingredients is not None:
                below = self._layer(number - 1).read(ingredients, memory[number - 1], _prefix_view(mask))
                ingredients = self._layer(number).rows(below, _prefix_view(mask))
            past.append(ingredients)
        return OpenSentence(event, memory, tuple(past), mask if past[0] is not None else mask[:, :0], 0)

    def extend(self, sentence: OpenSentence, words: Tensor) -> tuple[Tensor, OpenSentence]:
        """Add words, (B, L) ids, and return their output vectors, (B, L, d), with the longer sentence."""
        new = words.shape[1]
        x = self.embedding(words, sentence.length) + sentence.event.unsqueeze(1)
        mask = _word_view(sentence.prefix_mask, sentence.length, new)
        past: list[Rows | None] = []
        for number, before in enumerate(sentence.past):
            layer = self._layer(number)
            rows = layer.rows(x, mask, before)
            x = layer.read(rows, sentence.memory[number], mask)
            past.append(rows)
        return x, replace(sentence, past=tuple(past), length=sentence.length + new)

    def close(self, sentence: FinishedSentence, word_mask: Tensor) -> Memory:
        """The memory after the sentence.

        `word_mask` (B, length) is True for the words up to the end of each sentence.
        """
        mask = torch.cat((sentence.prefix_mask, word_mask), dim=1)
        return tuple(
            self._layer(number).update(sentence.memory[number], hidden, mask)
            for number, hidden in enumerate(sentence.hidden)
        )


def _prefix_view(mask: Tensor) -> Tensor:
    """(B, 1, 1, M). A video without any ingredient lets its padding see itself.

    The result is unused, but must not be NaN.
    """
    return (mask | ~mask.any(dim=1, keepdim=True))[:, None, None, :]


def _word_view(prefix_mask: Tensor, before: int, new: int) -> Tensor:
    """(B, 1, new, M + before + new): words see real ingredients, all words before them and themselves."""
    device = prefix_mask.device
    causal = torch.ones(new, before + new, dtype=torch.bool, device=device).tril(diagonal=before)
    batch = len(prefix_mask)
    return torch.cat((prefix_mask[:, None, :].expand(-1, new, -1), causal.expand(batch, -1, -1)), dim=2).unsqueeze(1)


class WordOutput(nn.Module):
    """Output vectors to scores of the words.

    One linear layer; as released with a dense layer, GELU and LayerNorm before.
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        inputs = config.width * ((3 if config.textual_attention else 1) + (1 if config.copying else 0))
        self.transform: nn.Linear | None = None
        if config.output == "transform":
            self.transform = nn.Linear(inputs, config.width)
            self.norm = nn.LayerNorm(config.width, eps=LAYER_NORM_EPS)
            inputs = config.width
        self.linear = nn.Linear(inputs, config.vocabulary_size)

    def forward(self, x: Tensor) -> Tensor:
        """(..., inputs) to (..., vocabulary) unnormalised log-probabilities."""
        if self.transform is not None:
            x = self.norm(F.gelu(self.transform(x)))
        # Scores are compared: in eight bits, as autocast would have them, near ones become equal.
        with torch.autocast(x.device.type, enabled=False):
            scores: Tensor = self.linear(x.to(self.linear.weight.dtype))
        return scores
