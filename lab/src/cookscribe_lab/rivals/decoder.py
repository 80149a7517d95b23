"""A plain transformer decoder that writes sentences about rows it may look at; the rivals share it."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from cookscribe.model.heads import sinusoid
from cookscribe.text.vocabulary import BOS, EOS, PAD, UNK


class SentenceDecoder(nn.Module):
    """Word embedding, transformer decoder, word output."""

    def __init__(self, words: int, width: int, heads: int, layers: int, dropout: float) -> None:
        super().__init__()
        self.width = width
        self.table = nn.Embedding(words, width, padding_idx=PAD)
        layer = nn.TransformerDecoderLayer(width, heads, 2 * width, dropout, batch_first=True)
        self.layers = nn.TransformerDecoder(layer, layers)
        self.output = nn.Linear(width, words)

    def hidden(self, words: Tensor, memory: Tensor, mask: Tensor) -> Tensor:
        """(R, W) words and (R, S, d) rows with their (R, S) mask to (R, W, d); position k knows words up to k."""
        length = words.shape[1]
        x = self.table(words) + sinusoid(length, self.width, device=words.device)
        later = torch.ones(length, length, dtype=torch.bool, device=words.device).triu(1)
        out: Tensor = self.layers(x, memory, tgt_mask=later, memory_key_padding_mask=~mask)
        return out

    def loss(self, words: Tensor, memory: Tensor, mask: Tensor) -> Tensor:
        """Negative log-likelihood of (R, W) sentences with BOS and EOS, summed over their words."""
        return self.loss_of(words, self.hidden(words[:, :-1], memory, mask))

    def loss_of(self, words: Tensor, hidden: Tensor) -> Tensor:
        """The same from what `hidden` gave for all words but the last, (R, W - 1, d)."""
        logits = self.output(hidden)
        return F.cross_entropy(logits.flatten(0, 1), words[:, 1:].flatten(), ignore_index=PAD, reduction="sum")

    def write(self, memory: Tensor, mask: Tensor, longest: int, ends: int = 1) -> Tensor:
        """(R, W) greedy sentences with BOS, up to `longest` words; they go on until `ends` EOS in a row, then PAD."""
        words = torch.full((len(memory), 1), BOS, device=memory.device)
        open_ = torch.ones(len(memory), dtype=torch.bool, device=memory.device)
        for _ in range(longest + 1):
            if not open_.any():
                break
            logits = self.output(self.hidden(words, memory, mask)[:, -1])
            logits[:, [PAD, BOS, UNK]] = -torch.inf
            new = torch.where(open_, logits.argmax(dim=-1), PAD)
            words = torch.cat((words, new[:, None]), dim=1)
            open_ = open_ & (words[:, -ends:] != EOS).any(dim=1)
        return words


def counted(words: Tensor) -> int:
    """How many words (R, W) sentences with BOS predict."""
    return int((words[:, 1:] != PAD).sum())
