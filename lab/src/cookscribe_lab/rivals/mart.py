"""MART (Lei et al., 2020) on true events: one recurrent transformer over the frames and the words of an event.

It is our memory layer (`model/memory.py`) with frames and words in one sequence: frames see frames, words see frames
and the words before them, and the memory that an event leaves is read by the next one.
"""

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from cookscribe.evaluation.events import Events
from cookscribe.learning.loop import Term
from cookscribe.model.heads import sinusoid
from cookscribe.model.memory import MemoryLayer, masked_mean
from cookscribe.text.vocabulary import BOS, EOS, PAD, UNK, Vocabulary
from cookscribe_lab.rivals.base import Rival, RivalConfig, entrance, sentences_of
from cookscribe_lab.rivals.video_data import CLIP, LONGEST, RivalVideo, padded, stacked

Memory = list[Tensor] | None


class Mart(Rival):
    """The whole model."""

    weights: Mapping[str, float] = {"words": 1.0}
    presegmented = True

    def __init__(self, config: RivalConfig) -> None:
        super().__init__(config)
        width = config.width
        self.entrance, self.kinds = entrance(config.feature_size, width), nn.Embedding(2, width)
        self.table = nn.Embedding(config.words, width, padding_idx=PAD)
        self.layers: list[MemoryLayer] = [
            MemoryLayer(width, config.heads, 1, config.dropout, config.dropout) for _ in range(config.layers)
        ]
        self.stack = nn.ModuleList(self.layers)
        self.output = nn.Linear(width, config.words)

    def step(self, clips: Tensor, words: Tensor, memory: Memory) -> tuple[Tensor, list[Tensor]]:
        """(B, CLIP, D) frames and (B, W) words of one event to (B, W, d), and the memory it leaves."""
        length = CLIP + words.shape[1]
        x = torch.cat([self.entrance(clips) + self.kinds.weight[0], self.table(words) + self.kinds.weight[1]], dim=1)
        x = x + sinusoid(length, self.config.width, device=x.device)
        seen = torch.ones(length, length, dtype=torch.bool, device=x.device).tril()
        seen[:CLIP, :CLIP] = True
        real = torch.cat([torch.ones_like(words[:, :1]).expand(-1, CLIP).bool(), words != PAD], dim=1)
        left = []
        for number, layer in enumerate(self.layers):
            rows = layer.rows(x, seen)
            # The story starts from what is seen of the first event; its words are still to be written.
            first = memory[number] if memory else layer.initial(masked_mean(rows.hidden[:, :CLIP], real[:, :CLIP]))
            x = layer.read(rows, first, seen)
            left.append(layer.update(first, rows.hidden, real))
        return x[:, CLIP:], left

    def losses(self, videos: Sequence[RivalVideo]) -> Mapping[str, Term]:
        """Words of all true events, one after another."""
        clips, mask = stacked([video.clips for video in videos], self.device)
        loss, count, memory = clips.sum() * 0.0, 0, None
        for t in range(mask.shape[1] if mask.any() else 0):
            sentences = [video.sentences[t] if t < len(video.sentences) else (BOS,) for video in videos]
            words = padded(sentences, self.device)
            hidden, memory = self.step(clips[:, t], words, memory)
            logits = self.output(hidden[:, :-1]).flatten(0, 1)
            loss = loss + F.cross_entropy(logits, words[:, 1:].flatten(), ignore_index=PAD, reduction="sum")
            count += int((words[:, 1:] != PAD).sum())
        return {"words": Term(loss, count)}

    def write(self, videos: Sequence[RivalVideo], vocabulary: Vocabulary) -> list[Events]:
        """Sentences of the true events."""
        clips, mask = stacked([video.clips for video in videos], self.device)
        told: list[list[str]] = [[] for _ in videos]
        memory: Memory = None
        for t in range(mask.shape[1]):
            words = torch.full((len(videos), 1), BOS, device=self.device)
            for _ in range(LONGEST + 1):
                hidden, _ = self.step(clips[:, t], words, memory)
                logits = self.output(hidden[:, -1])
                logits[:, [PAD, BOS, UNK]] = -torch.inf
                ended = (words == EOS).any(dim=1)
                words = torch.cat([words, torch.where(ended, PAD, logits.argmax(dim=-1))[:, None]], dim=1)
                if bool((words == EOS).any(dim=1).all()):
                    break
            _, memory = self.step(clips[:, t], words, memory)
            for sentences, text, real in zip(told, sentences_of(words, vocabulary), mask[:, t].tolist(), strict=True):
                if real:
                    sentences.append(text)
        return [Events(video.video.spans, tuple(texts)) for video, texts in zip(videos, told, strict=True)]
