"""Vectors of sentences and names that pictures are compared with: what MiniLM makes of them, and their very words.

MiniLM knows that lamb is meat; the words know that lamb is not pork. Both are put side by side and turned to the few
directions in which the sentences of recipes differ most.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from cookscribe.text.ingredients import canonical
from cookscribe.text.tokens import ptb_tokens

Floats = NDArray[np.float64]
MEANING = 384  # width of MiniLM's vectors


class SentenceSpace(nn.Module):
    """Texts to (N, D) vectors, their mean taken off.

    Args:
        vocabulary: V canonical words that count; size: D.
    """

    def __init__(self, vocabulary: Sequence[str], size: int) -> None:
        super().__init__()
        self.number = {word: n for n, word in enumerate(vocabulary)}

        def table(*shape: int) -> nn.Parameter:
            return nn.Parameter(torch.zeros(*shape), requires_grad=False)

        self.rarity = table(len(vocabulary))
        self.meaning, self.spelling = table(MEANING, size), table(len(vocabulary), size)
        self.middle = table(size)

    @torch.no_grad()
    def forward(self, texts: Sequence[str], meanings: NDArray[np.floating]) -> Floats:
        """(N, D) of N texts with their (N, 384) vectors by MiniLM."""
        bags = torch.from_numpy(bags_of(texts, self.number, self.rarity.double().numpy()))
        meaning = torch.from_numpy(np.asarray(meanings, dtype=np.float64))
        vectors: Tensor = meaning @ self.meaning.double() + bags @ self.spelling.double() - self.middle.double()
        return vectors.numpy()


def bags_of(texts: Sequence[str], number: dict[str, int], rarity: Floats) -> Floats:
    """(N, V) rows of length 1: which words a text has, rare ones with more weight; 0 where none is known."""
    found = np.zeros((len(texts), len(number)))
    for row, text in enumerate(texts):
        known = sorted({number[word] for token in ptb_tokens(text) if (word := canonical(token)) in number})
        found[row, known] = rarity[known]
    return np.asarray(found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-9))
