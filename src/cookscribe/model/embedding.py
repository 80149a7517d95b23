"""Embeddings of candidate events, of words and of ingredients."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from cookscribe.model.batch import Inputs
from cookscribe.model.config import ModelConfig
from cookscribe.model.heads import Dropout, sinusoid
from cookscribe.model.memory import LAYER_NORM_EPS

# A candidate shorter than this share of its video counts as this long, so that the logarithm below stays finite.
SHORTEST_SHARE = 1e-4


class Perceptron(nn.Sequential):
    """LayerNorm, dropout, linear, ReLU, LayerNorm: how every outside vector enters the model."""

    def __init__(self, inputs: int, width: int, dropout: float, *, normalise_input: bool = True) -> None:
        first = nn.LayerNorm(inputs, eps=LAYER_NORM_EPS) if normalise_input else nn.Identity()
        super().__init__(
            first, Dropout(dropout), nn.Linear(inputs, width), nn.ReLU(), nn.LayerNorm(width, eps=LAYER_NORM_EPS)
        )


def relative_geometry(times: Tensor) -> Tensor:
    """How event j lies to event i: start and end difference (shares of the video) and log length ratio.

    Args:
        times: (B, N, 2) shares of the video.

    Returns:
        (B, N, N, 3), entry [b, i, j].
    """
    length = (times[..., 1] - times[..., 0]).clamp(min=SHORTEST_SHARE)
    difference = times.unsqueeze(2) - times.unsqueeze(1)
    ratio = (length.unsqueeze(1) / length.unsqueeze(2)).log()
    return torch.cat((difference, ratio.unsqueeze(-1)), dim=-1)


class PairwiseRelative(nn.Module):
    """Relative encoding for any N.

    Each pair is embedded alone, the pairs of an event are averaged, a perceptron follows.
    """

    hidden = 32

    def __init__(self, width: int, dropout: float) -> None:
        super().__init__()
        self.pair = nn.Linear(3, self.hidden)
        self.event = Perceptron(self.hidden, width, dropout)

    def forward(self, events: Tensor, times: Tensor, mask: Tensor) -> Tensor:
        """(B, N, 2) shares and (B, N) mask give (B, N, d); the events' own vectors are not read."""
        del events
        pairs = F.relu(self.pair(relative_geometry(times)))
        weight = mask.to(pairs.dtype) / mask.sum(dim=1, keepdim=True).clamp(min=1)
        encoded: Tensor = self.event(torch.einsum("bijh,bj->bih", pairs, weight))
        return encoded


def mean_vector(table: nn.Embedding, words: Tensor) -> Tensor:
    """(..., W) word ids, 0 for padding, to the mean of their vectors, (..., D); zero where there is no word."""
    real = (words != 0).unsqueeze(-1).to(table.weight.dtype)
    mean: Tensor = (table(words) * real).sum(dim=-2) / real.sum(dim=-2).clamp(min=1)
    return mean


class EventEmbedding(nn.Module):
    """Candidates to vectors, with the STOP slot in front: slot 0 is STOP, slot n + 1 is candidate n.

    Texts of a candidate (its caption, the words heard in it) are averaged word vectors beside its feature. Their table
    is part of the weights but is not trained: new words of a new video must mean what they meant in training.
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        width = config.width
        self.width = width
        self.texts: nn.Embedding | None = None
        if config.texts:
            self.texts = nn.Embedding(config.input_words, config.word_vector_size, padding_idx=0)
            self.texts.weight.requires_grad_(False)
        self.feature = Perceptron(config.outside_size, width, config.dropout)
        self.relative: nn.Module | None = None
        if config.relative == "pairwise":
            self.relative = PairwiseRelative(width, config.dropout)
        elif config.relative != "none":
            from cookscribe.model.relative import other_relative

            self.relative = other_relative(config)
        self.absolute = Perceptron(2, width, 0.0, normalise_input=False) if config.absolute else None
        self.score = Perceptron(2, width, 0.0, normalise_input=False) if config.scores else None
        self.stop = nn.Parameter(torch.zeros(width)) if config.stop == "learned" else None

    def outside(self, inputs: Inputs) -> Tensor:
        """(B, N, F + texts): features, with the texts beside them."""
        if self.texts is None:
            return inputs.features
        return torch.cat((inputs.features, mean_vector(self.texts, inputs.texts).flatten(2)), dim=-1)

    def forward(self, inputs: Inputs) -> Tensor:
        """(B, N + 1, d)."""
        features = self.outside(inputs)
        events = self.feature(features)
        if self.relative is not None:
            events = events + self.relative(events, inputs.times, inputs.event_mask)
        if self.absolute is not None:
            events = events + self.absolute(inputs.times)
        if self.score is not None:
            odds = torch.logit(inputs.scores, eps=1e-3)
            events = events + self.score(torch.stack((inputs.scores, odds), dim=-1))
        if self.stop is not None:
            stop = self.stop.expand(len(features), 1, -1)
        else:
            stop = self.feature(features.new_zeros(len(features), 1, features.shape[-1]))
        slots = torch.cat((stop, events), dim=1)
        embedded: Tensor = slots + sinusoid(slots.shape[1], self.width, device=slots.device)
        return embedded


class WordEmbedding(nn.Module):
    """Word ids to vectors: pre-trained table, perceptron, position."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.width = config.width
        self.table = nn.Embedding(config.vocabulary_size, config.word_vector_size)
        self.perceptron = Perceptron(config.word_vector_size, config.width, config.dropout)

    def forward(self, words: Tensor, first: int = 0) -> Tensor:
        """(B, L) ids of the words from position `first` on give (B, L, d)."""
        positions = sinusoid(first + words.shape[1], self.width, device=words.device)[first:]
        embedded: Tensor = self.perceptron(self.table(words)) + positions
        return embedded


class IngredientEncoder(nn.Module):
    """Names of ingredients to vectors: word vectors of a name, averaged, then a perceptron of one or more layers.

    "parmesan cheese" is the mean of its two words; the list has no order. Selector and generator have one each.
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.table = nn.Embedding(config.input_words, config.word_vector_size, padding_idx=0)
        self.perceptron = Perceptron(config.word_vector_size, config.width, config.dropout)
        further = range(config.ingredient_layers - 1)
        self.deeper = nn.Sequential(
            *(Perceptron(config.width, config.width, 0.0, normalise_input=False) for _ in further)
        )

    def forward(self, ingredients: Tensor) -> Tensor:
        """(B, M, W) ids, 0 for padding, give (B, M, d)."""
        encoded: Tensor = self.deeper(self.perceptron(mean_vector(self.table, ingredients)))
        return encoded
