"""Words one by one, without computing or copying what is known: `SentenceGenerator.extend` for decoding only.

The same numbers as `extend` one word at a time. Keys and values go into tensors that have room for the whole sentence,
those of the memory are computed once per sentence, and sentences that are finished leave the batch.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from torch import Tensor
from torch.nn import functional as F

from cookscribe.model.generator import OpenSentence, SentenceGenerator, Told
from cookscribe.model.memory import MemoryLayer


@dataclass
class _Kept:
    """What one layer keeps. Rows are ingredients, then words; in `key` and `value` the memory stands before them.

    Attributes:
        self_key, self_value: (B, heads, room, d / heads).
        key, value: (B, heads, cells + room, d / heads).
    """

    self_key: Tensor
    self_value: Tensor
    key: Tensor
    value: Tensor

    def take(self, index: Tensor) -> _Kept:
        return _Kept(self.self_key[index], self.self_value[index], self.key[index], self.value[index])


class SentenceWriter:
    """Continues the open sentences of B videos by up to `words` words. Not for training."""

    def __init__(self, generator: SentenceGenerator, sentence: OpenSentence, words: int) -> None:
        self.generator = generator
        self.opened = sentence
        self.start = sentence.prefix_mask.shape[1]
        self.filled = self.start + sentence.length
        batch, width = sentence.event.shape
        self.rows = torch.arange(batch, device=sentence.event.device)
        self.event, self.prefix_mask = sentence.event, sentence.prefix_mask
        room = self.filled + words
        self.layers: list[MemoryLayer] = [layer for layer in generator.layers if isinstance(layer, MemoryLayer)]
        self.kept: list[_Kept] = []
        self.hidden: list[Tensor] = []
        for layer, memory, past in zip(self.layers, sentence.memory, sentence.past, strict=True):
            key, value = layer.read_attention.keys_values(memory)
            cells, heads, size = memory.shape[1], key.shape[1], key.shape[3]
            found = _Kept(
                *(key.new_empty(batch, heads, room, size) for _ in range(2)),
                *(key.new_empty(batch, heads, cells + room, size) for _ in range(2)),
            )
            # Zeros, because sentences that left write no more, and what is masked must still be a number.
            hidden = key.new_zeros(batch, room, width)
            found.key[:, :, :cells], found.value[:, :, :cells] = key, value
            if past is not None:
                found.self_key[:, :, : self.filled] = past.self_key
                found.self_value[:, :, : self.filled] = past.self_value
                found.key[:, :, cells : cells + self.filled] = past.key
                found.value[:, :, cells : cells + self.filled] = past.value
                hidden[:, : self.filled] = past.hidden
            self.kept.append(found)
            self.hidden.append(hidden)

    def next(self, words: Tensor) -> Tensor:
        """Add one word, (B,) ids, to every sentence and return its output vector, (B, d).

        Sentences that have left get an output vector of zeros.
        """
        place = self.filled
        gone = len(self.rows) < len(words)
        x = self.generator.embedding((words[self.rows] if gone else words).unsqueeze(1), place - self.start)
        x = x + self.event.unsqueeze(1)
        mask = self._mask(place - self.start + 1)
        for layer, kept, hidden in zip(self.layers, self.kept, self.hidden, strict=True):
            x = self._through(layer, kept, hidden, x, mask)
        self.filled = place + 1
        row: Tensor = x[:, 0]
        return row.new_zeros(len(words), row.shape[-1]).index_copy_(0, self.rows, row) if gone else row

    def _through(self, layer: MemoryLayer, kept: _Kept, hidden: Tensor, x: Tensor, mask: Tensor | None) -> Tensor:
        place, cells = self.filled, kept.key.shape[2] - kept.self_key.shape[2]
        query, key, value = layer.self_attention.project(x)
        kept.self_key[:, :, place], kept.self_value[:, :, place] = key[:, :, 0], value[:, :, 0]
        seen = layer.self_attention.attend(
            query, kept.self_key[:, :, : place + 1], kept.self_value[:, :, : place + 1], mask
        )
        attended = layer.self_norm(x + layer.self_output(seen))
        row = F.gelu(layer.intermediate(attended))
        hidden[self.rows, place] = row[:, 0]
        query, key, value = layer.read_attention.project(row)
        end = cells + place + 1
        kept.key[:, :, end - 1], kept.value[:, :, end - 1] = key[:, :, 0], value[:, :, 0]
        if mask is not None:
            mask = F.pad(mask, (cells, 0), value=True)
        seen = layer.read_attention.attend(query, kept.key[:, :, :end], kept.value[:, :, :end], mask)
        output: Tensor = layer.output_norm(attended + layer.joined_output(seen))
        return output

    def _mask(self, words: int) -> Tensor | None:
        """(B, 1, 1, M + words), or None where everything may be seen: only ingredients can be padding."""
        if self.start == 0:
            return None
        return F.pad(self.prefix_mask, (0, words), value=True)[:, None, None, :]

    def reorder(self, index: Tensor) -> None:
        """Go on with the sentences in `index`, e.g. the best of a beam; not after `leave`."""
        heard = self.opened.heard
        self.opened = replace(self.opened, heard=None).take(index)
        if heard is not None:
            # The sentences of a beam belong to one video and share what was heard; only a choice of videos changes it.
            self.opened = replace(self.opened, heard=heard if len(index) == len(heard.mask) else heard.take(index))
        self.event, self.prefix_mask = self.opened.event, self.opened.prefix_mask
        self.kept = [kept.take(index) for kept in self.kept]
        self.hidden = [hidden[index] for hidden in self.hidden]
        self.rows = torch.arange(len(index), device=index.device)

    def leave(self, finished: Tensor) -> None:
        """The sentences that are `finished`, (B,), need no more words. They only go once they are worth the copying."""
        going = (~finished[self.rows]).nonzero().squeeze(1)
        if len(going) > 0.75 * len(self.rows):
            return
        self.rows, self.event, self.prefix_mask = self.rows[going], self.event[going], self.prefix_mask[going]
        self.kept = [kept.take(going) for kept in self.kept]

    def told(self) -> Told:
        """All sentences as far as they are written."""
        rows = tuple(hidden[:, : self.filled] for hidden in self.hidden)
        return Told(self.opened.event, self.opened.memory, rows, self.opened.prefix_mask)
