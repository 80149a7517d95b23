"""ECHR (Wang et al., 2021): events that know each other, and a hierarchical decoder over them.

Events are what non-maximum suppression leaves of the proposal model's candidates. Each looks at the others with weights
that their places decide (`EventRelation`); event, context and position mask go into a recurrent network that runs over
the events, whose state starts another one that runs over the words.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from cookscribe.evaluation.events import Events
from cookscribe.learning.loop import Term
from cookscribe.model.relative import EventRelation
from cookscribe.text.vocabulary import BOS, EOS, PAD, UNK, Vocabulary
from cookscribe_lab.rivals.base import Rival, RivalConfig, entrance, sentences_of
from cookscribe_lab.rivals.decoder import counted
from cookscribe_lab.rivals.video_data import LONGEST, RivalVideo, padded, stacked

BINS = 50  # of the position mask: which parts of the video an event covers


class Echr(Rival):
    """The whole model."""

    weights: Mapping[str, float] = {"words": 1.0}

    def __init__(self, config: RivalConfig) -> None:
        super().__init__(config)
        width = config.width
        self.entrance, self.relation = entrance(config.feature_size, width), EventRelation(width)
        self.joined = nn.Sequential(nn.Linear(2 * width + BINS, width), nn.ReLU())
        self.events = nn.GRU(width, width, batch_first=True)
        self.table = nn.Embedding(config.words, width, padding_idx=PAD)
        self.words = nn.GRU(3 * width, width, batch_first=True)
        self.dropout = nn.Dropout(config.dropout)
        self.output = nn.Linear(width, config.words)

    def tell(self, rows: Tensor, mask: Tensor, spans: Tensor) -> Tensor:
        """(B, K, D) features, (B, K) mask and (B, K, 2) shares of events to (B, K, 2 d): the event, and the story."""
        events = self.entrance(rows)
        context = self.relation(events, spans, mask)
        moments = (torch.arange(BINS, device=rows.device) + 0.5) / BINS
        covered = ((spans[..., :1] <= moments) & (moments <= spans[..., 1:])).to(events.dtype)
        own = self.joined(torch.cat([events, context, covered], dim=-1))
        story, _ = self.events(own)
        return torch.cat([own, story], dim=-1)

    def spoken(self, words: Tensor, told: Tensor, state: Tensor | None) -> tuple[Tensor, Tensor]:
        """(R, W) words of events (R, 2 d) to their logits (R, W, words), and the state after them."""
        known = told[:, None].expand(-1, words.shape[1], -1)
        start = told[None, :, self.config.width :].contiguous() if state is None else state
        hidden, state = self.words(torch.cat([self.table(words), known], dim=-1), start)
        return self.output(self.dropout(hidden)), state

    def losses(self, videos: Sequence[RivalVideo]) -> Mapping[str, Term]:
        """Words of the true steps, each from the proposed event that overlaps it most."""
        videos = [video for video in videos if len(video.proposed) and len(video.sentences)]
        if not videos:
            return {"words": Term(self.output.weight.sum() * 0.0, 0)}
        rows, mask = stacked([video.proposed_rows[video.nearest] for video in videos], self.device)
        spans, _ = stacked([video.proposed[video.nearest] / video.video.duration for video in videos], self.device)
        told = self.tell(rows, mask, spans)[mask]
        words = padded([sentence for video in videos for sentence in video.sentences], self.device)
        logits, _ = self.spoken(words[:, :-1], told, None)
        loss = F.cross_entropy(logits.flatten(0, 1), words[:, 1:].flatten(), ignore_index=PAD, reduction="sum")
        return {"words": Term(loss, counted(words))}

    def write(self, videos: Sequence[RivalVideo], vocabulary: Vocabulary) -> list[Events]:
        """Sentences of the proposed events."""
        rows, mask = stacked([video.proposed_rows for video in videos], self.device)
        spans, _ = stacked([video.proposed / video.video.duration for video in videos], self.device)
        told = self.tell(rows, mask, spans)[mask]
        new = torch.full((len(told), 1), BOS, device=self.device)
        words, state = [new], None
        for _ in range(LONGEST):
            logits, state = self.spoken(words[-1], told, state)
            logits[..., [PAD, BOS, UNK]] = -torch.inf
            words.append(torch.where(words[-1] == EOS, EOS, logits[:, -1:].argmax(dim=-1)))
        sentences = iter(sentences_of(torch.cat(words, dim=1), vocabulary))
        return [Events(np.asarray(video.proposed), tuple(next(sentences) for _ in video.proposed)) for video in videos]
