"""Cached decoding: words one by one, without computing or copying what is known.

The same numbers as `SentenceGenerator.extend` one word at a time. Keys and values go into tensors that have room for
the whole sentence, those of the memory are computed once per sentence, and finished sentences leave the batch.
"""

from dataclasses import dataclass, replace

import torch
from torch import Tensor
from torch.nn import functional as F

from cookscribe.model.batch import take
from cookscribe.model.generator import FinishedSentence, OpenSentence, SentenceGenerator
from cookscribe.model.memory import MemoryLayer


@dataclass
class _Cache:
    """Keys and values of one layer: of ingredients, then words; in `key` and `value` the memory stands before them.

    Attributes:
        self_key, self_value: (B, heads, room, d / heads).
        key, value: (B, heads, cells + room, d / heads).
    """

    self_key: Tensor
    self_value: Tensor
    key: Tensor
    value: Tensor


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
        self.caches: tuple[_Cache, ...] = ()
        self.hidden: tuple[Tensor, ...] = ()
        for layer, memory, past in zip(self.layers, sentence.memory, sentence.past, strict=True):
            key, value = layer.read_attention.keys_values(memory)
            cells, heads, size = memory.shape[1], key.shape[1], key.shape[3]
            found = _Cache(
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
            self.caches += (found,)
            self.hidden += (hidden,)

    def next(self, words: Tensor) -> Tensor:
        """Add one word, (B,) ids, to every sentence and return its output vector, (B, d).

        Sentences that have left get an output vector of zeros.
        """
        place = self.filled
        gone = len(self.rows) < len(words)
        x = self.generator.embedding((words[self.rows] if gone else words).unsqueeze(1), place - self.start)
        x = x + self.event.unsqueeze(1)
        mask = self._mask(place - self.start + 1)
        for layer, cache, hidden in zip(self.layers, self.caches, self.hidden, strict=True):
            x = self._through(layer, cache, hidden, x, mask)
        self.filled = place + 1
        row: Tensor = x[:, 0]
        return row.new_zeros(len(words), row.shape[-1]).index_copy_(0, self.rows, row) if gone else row

    def _through(self, layer: MemoryLayer, cache: _Cache, hidden: Tensor, x: Tensor, mask: Tensor | None) -> Tensor:
        place, cells = self.filled, cache.key.shape[2] - cache.self_key.shape[2]
        query, key, value = layer.self_attention.project(x)
        cache.self_key[:, :, place], cache.self_value[:, :, place] = key[:, :, 0], value[:, :, 0]
        seen = layer.self_attention.attend(
            query, cache.self_key[:, :, : place + 1], cache.self_value[:, :, : place + 1], mask
        )
        attended = layer.self_norm(x + layer.self_output(seen))
        row = F.gelu(layer.intermediate(attended))
        hidden[self.rows, place] = row[:, 0]
        query, key, value = layer.read_attention.project(row)
        end = cells + place + 1
        cache.key[:, :, end - 1], cache.value[:, :, end - 1] = key[:, :, 0], value[:, :, 0]
        if mask is not None:
            mask = F.pad(mask, (cells, 0), value=True)
        seen = layer.read_attention.attend(query, cache.key[:, :, :end], cache.value[:, :, :end], mask)
        output: Tensor = layer.output_norm(attended + layer.read_output(seen))
        return output

    def _mask(self, words: int) -> Tensor | None:
        """(B, 1, 1, M + words), or None where everything may be seen: only ingredients can be padding."""
        if self.start == 0:
            return None
        return F.pad(self.prefix_mask, (0, words), value=True)[:, None, None, :]

    def reorder(self, index: Tensor) -> None:
        """Go on with the sentences in `index`, e.g. the best of a beam; not after `leave`."""
        source = self.opened.source
        self.opened = take(replace(self.opened, source=None), index)
        if source is not None:
            # The sentences of a beam belong to one video and share their source; only a choice of videos changes it.
            same = len(index) == len(source.mask)
            self.opened = replace(self.opened, source=source if same else take(source, index))
        self.event, self.prefix_mask = self.opened.event, self.opened.prefix_mask
        self.caches, self.hidden = take((self.caches, self.hidden), index)
        self.rows = torch.arange(len(index), device=index.device)

    def leave(self, finished: Tensor) -> None:
        """The sentences that are `finished`, (B,), need no more words. They only go once they are worth the copying."""
        going = (~finished[self.rows]).nonzero().squeeze(1)
        if len(going) > 0.75 * len(self.rows):
            return
        kept = (self.rows, self.event, self.prefix_mask, self.caches)
        self.rows, self.event, self.prefix_mask, self.caches = take(kept, going)

    def finished(self) -> FinishedSentence:
        """All sentences as far as they are written."""
        rows = tuple(hidden[:, : self.filled] for hidden in self.hidden)
        return FinishedSentence(self.opened.event, self.opened.memory, rows, self.opened.prefix_mask)
