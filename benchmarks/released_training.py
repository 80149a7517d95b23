"""The recipe model trained in the plain way of the released program, as a baseline for `story.py`.

The same weights and the same losses, with none of what makes ours fast: the embeddings and the first layer are computed
again at every step, attention is materialised, dropout draws number by number, every video goes on to the last step of
the batch, STOP included, where a sentence is written and ignored, every sentence is padded to the longest, and the
vocabulary is scored at all its positions. It is kinder than programs of MART's family in that queries, keys and values
come from one product, and LayerNorm and GELU from one kernel each.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import torch
from torch import Tensor
from torch.nn import functional as F

from cookscribe.model.batch import Inputs, Targets
from cookscribe.model.beyond.fast import LinearPair
from cookscribe.model.config import EOS, PAD
from cookscribe.model.heads import Dropout, Heads
from cookscribe.model.losses import Outputs
from cookscribe.model.memory import MemoryLayer, Rows
from cookscribe.model.recipe_model import RecipeModel, State

LONGEST = 22  # words of a sentence, BOS and EOS included


def _attend(self: Heads, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None) -> Tensor:
    scores = query @ key.transpose(2, 3) / query.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = F.dropout(scores.softmax(dim=-1), self.dropout, self.training)
    return (weights @ value).transpose(1, 2).flatten(2)


def _few_to_many(self: Heads, few: Tensor, many: Tensor, mask: Tensor | None) -> Tensor:
    query, _, _ = self.project(few)
    return _attend(self, query, *self.keys_values(many), None if mask is None else mask[:, None, None, :])


def _dropout(self: Dropout, x: Tensor) -> Tensor:
    return F.dropout(x, self.limit / 256, self.training)


def _pair(self: LinearPair, x: Tensor) -> Tensor:
    output: Tensor = self.outer(self.inner(x))
    return output


@contextmanager
def plain_layers() -> Iterator[None]:
    """Inside, the layers of the model are computed as their equations are written."""
    rows = MemoryLayer.rows

    def _rows(self: MemoryLayer, x: Tensor, mask: Any, past: Rows | None = None, *, cache: bool = False) -> Rows:
        del cache
        return rows(self, x, mask, past)

    with (
        patch.object(Heads, "attend", _attend),
        patch.object(Heads, "few_to_many", _few_to_many),
        patch.object(MemoryLayer, "rows", _rows),
        patch.object(Dropout, "forward", _dropout),
        patch.object(LinearPair, "forward", _pair),
    ):
        yield


def plain_pass(model: RecipeModel, inputs: Inputs, targets: Targets) -> Outputs:
    """What the losses need, for a model without planner, simulator and copying."""
    count = targets.steps
    state = State()
    logits: list[Tensor] = []
    labels: list[Tensor] = []
    masks: list[Tensor] = []
    words: list[Tensor] = []
    following: list[Tensor] = []
    for t in range(int(count.max()) + 1):
        encoded = model.encode(inputs)
        selection = model.select(encoded, state)
        label = targets.events[:, t].clamp(min=0) if t < targets.events.shape[1] else torch.zeros_like(count)
        there = count >= t
        logits.append(selection.logits[there])
        labels.append(label[there])
        masks.append(encoded.events.slot_mask[there])
        event = model.choose(selection, label)
        sentences = targets.words[:, t] if t < targets.words.shape[1] else torch.zeros_like(targets.words[:, 0])
        padded = F.pad(sentences, (0, LONGEST - sentences.shape[1]), value=PAD)
        given = padded[:, :-1]
        real = (given != PAD) & (given != EOS)
        hidden, sentence = model.generator.extend(model.open_sentence(encoded, state, event, label), given)
        words.append(model.output(hidden)[real])
        following.append(padded[:, 1:][real])
        # A recipe that is over goes on with an empty sentence, whose memory nobody reads.
        kept = given != PAD if model.config.text_memory == "eos" else real
        begun = torch.cat((torch.ones_like(kept[:, :1]), kept[:, 1:]), dim=1)
        state = model.close_sentence(selection, sentence.finished(), begun)
    nothing = logits[0].new_zeros(0)
    return Outputs(
        torch.cat(logits),
        torch.cat(labels),
        torch.cat(masks),
        torch.cat(words),
        torch.cat(following),
        *[nothing] * 4,
        videos=len(inputs),
    )
