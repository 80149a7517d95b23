"""The ingredient encoder: word vectors of a name, averaged, then a perceptron. Selector and generator have one each."""

from __future__ import annotations

from torch import Tensor, nn

from cookscribe.model.config import ModelConfig
from cookscribe.model.embedding import Perceptron, mean_vector


class IngredientEncoder(nn.Module):
    """Names of ingredients to vectors. "parmesan cheese" is the mean of its two words; the list has no order."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.table = nn.Embedding(config.input_words, config.word_vector_size, padding_idx=0)
        self.perceptron = Perceptron(config.word_vector_size, config.width, config.dropout)

    def forward(self, ingredients: Tensor) -> Tensor:
        """(B, M, W) ids, 0 for padding, give (B, M, d)."""
        encoded: Tensor = self.perceptron(mean_vector(self.table, ingredients))
        return encoded
