"""PDVC (Wang et al., "End-to-End Dense Video Captioning with Parallel Decoding", 2021).

N learned queries look at the encoded video through deformable attention. After every decoder layer, heads read from
each query whether it is an event, where it lies and what to say about it, and from all queries together how many
events there are.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple, cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from cookscribe.proposals.pdvc.boxes import inverse_sigmoid
from cookscribe.proposals.pdvc.config import ProposalConfig
from cookscribe.proposals.pdvc.transformer import DecoderLayer, Encoded, Encoder

if TYPE_CHECKING:
    from cookscribe.proposals.pdvc.caption import CaptionHead

# Share of queries that are events, as far as the class head is concerned before it has learnt anything.
PRIOR = 0.01
# Mean number of steps in an annotated cooking video: where the count head starts.
USUAL_COUNT = 7.7
# Columns of `evidence`.
EVIDENCE = 4


class Layer(NamedTuple):
    """What the heads say after one decoder layer.

    Attributes:
        hidden: (B, N, width) query vectors.
        logits: (B, N) is it an event?
        boxes: (B, N, 2) centre and length in units of the video.
        counter: (B, 1) logarithm of the expected count, or (B, classes) logits.
        references: (B, N, 1 or 2) what the layer was given: a centre, or centre and length.
    """

    hidden: Tensor
    logits: Tensor
    boxes: Tensor
    counter: Tensor
    references: Tensor


class BoxHead(nn.Module):
    """Three linear layers; starts by changing nothing."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(width, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 2)
        )
        last = self.layers[-1]
        assert isinstance(last, nn.Linear)
        nn.init.zeros_(last.weight)
        nn.init.zeros_(last.bias)

    def forward(self, hidden: Tensor) -> Tensor:
        """(..., width) to (..., 2): change of centre and length, as logits."""
        out: Tensor = self.layers(hidden)
        return out


class PDVC(nn.Module):
    """The proposal model."""

    def __init__(self, config: ProposalConfig) -> None:
        super().__init__()
        self.config = config
        width = config.width
        self.encoder = Encoder(config)
        queries = config.groups * config.queries
        self.query = nn.Parameter(torch.empty(queries, width).normal_())
        self.query_position = nn.Parameter(torch.empty(queries, width).normal_())
        if config.references == "anchors":
            self.anchors = nn.Parameter(inverse_sigmoid(anchor_grid(config.queries)).repeat(config.groups, 1))
        else:
            self.point = nn.Linear(width, 1)
        self.layers = nn.ModuleList(DecoderLayer(config) for _ in range(config.decoder_layers))
        self.class_heads = nn.ModuleList(nn.Linear(width, 1) for _ in self.layers)
        self.box_heads = nn.ModuleList(BoxHead(width) for _ in self.layers)
        counts = 1 if config.count_head == "poisson" else config.count_classes
        # The published head reads the largest value over all queries; how many queries agree shows in the mean.
        seen = 2 * width if config.count_head == "poisson" else width
        seen += EVIDENCE if config.count_evidence else 0
        self.count_heads = nn.ModuleList(nn.Linear(seen, counts) for _ in self.layers)
        # Whether the frame lies inside an event; read from the finest level, in training only.
        self.inside = nn.Linear(width, 1) if config.loss_inside else None
        for head in self.class_heads:
            nn.init.constant_(head.bias, -math.log((1 - PRIOR) / PRIOR))  # type: ignore[arg-type]
        if config.count_head == "poisson":
            for head in self.count_heads:
                nn.init.zeros_(head.weight)  # type: ignore[arg-type]
                nn.init.constant_(head.bias, math.log(USUAL_COUNT))  # type: ignore[arg-type]
        if config.references == "learned":
            # Without anchors the first lengths come from the box head alone: start short rather than at half the video.
            nn.init.constant_(self.box_heads[0].layers[-1].bias[1:], -2.0)  # type: ignore[index, union-attr]
        self.caption_heads = nn.ModuleList()
        if config.words:
            from cookscribe.proposals.pdvc.caption import CaptionHead

            several = config.caption_layers == "all" and not config.caption_shared
            layers = len(self.layers) if several else 1
            self.caption_heads.extend(CaptionHead(config) for _ in range(layers))

    def forward(self, frames: Tensor, mask: Tensor, durations: Tensor) -> tuple[list[Layer], Encoded]:
        """Frames (B, L, D), mask (B, L) True for real frames, durations (B,) seconds.

        In training with several groups the layers have B x groups rows, those of a video behind one another.
        """
        encoded = self.encoder(frames, mask, durations)
        batch, groups = len(frames), self.config.groups if self.training else 1
        hidden = self._rows(self.query, batch, groups)
        position = self._rows(self.query_position, batch, groups)
        durations = durations.repeat_interleave(groups)
        if self.config.references == "anchors":
            references = self._rows(self.anchors, batch, groups).sigmoid()
        else:
            references = self.point(position).sigmoid()
        found: list[Layer] = []
        for number, layer in enumerate(self.layers):
            hidden = layer(hidden, position, references, encoded.tokens, encoded.pyramid)
            change = self.box_heads[number](hidden)
            known = inverse_sigmoid(references)
            # A bare point gives the centre only; the length then comes from the head alone.
            boxes = (functional.pad(known, (0, 2 - known.shape[-1])) + change).sigmoid()
            logits = self.class_heads[number](hidden)[..., 0]
            counter = self.count_heads[number](self._pooled(hidden, logits, boxes, durations))
            found.append(Layer(hidden, logits.float(), boxes.float(), counter.float(), references))
            # Each layer learns to refine what it was given, not to move its predecessor.
            references = boxes.detach()
        return found, encoded

    def _rows(self, learned: Tensor, batch: int, groups: int) -> Tensor:
        """(all groups x N, X) to (batch x groups, N, X)."""
        return learned.view(self.config.groups, self.config.queries, -1)[:groups].repeat(batch, 1, 1)

    def _pooled(self, hidden: Tensor, logits: Tensor, boxes: Tensor, durations: Tensor) -> Tensor:
        """What the count head reads: (B, width, 2 x width, and 4 more with evidence)."""
        parts = [hidden.amax(dim=1)]
        if self.config.count_head == "poisson":
            parts.append(hidden.mean(dim=1))
        if self.config.count_evidence:
            parts.append(evidence(logits.detach().sigmoid(), boxes.detach(), durations))
        return torch.cat(parts, dim=-1)

    def caption_head(self, layer: int) -> CaptionHead | None:
        """The caption head of a decoder layer (-1: the last), or None where there is none."""
        layer %= len(self.layers)
        if self.config.caption_layers == "last":
            layer -= len(self.layers) - 1
        if not self.caption_heads or layer < 0:
            return None
        return cast("CaptionHead", self.caption_heads[0 if self.config.caption_shared else layer])

    def caption_references(self, layer: Layer) -> Tensor:
        """(B, N, 1 or 2) what the words of each query are looked for around."""
        return layer.references if self.config.caption_around == "previous" else layer.boxes

    def expected_count(self, layer: Layer) -> Tensor:
        """(B,) number of events the count head expects; an integer for "classes"."""
        if self.config.count_head == "poisson":
            return layer.counter[:, 0].exp()
        return layer.counter.argmax(dim=-1).to(layer.counter.dtype)


def evidence(chances: Tensor, boxes: Tensor, durations: Tensor) -> Tensor:
    """(B, 4) figures about as large as the usual ones are 1: events and sure events, their length, the video's.

    Args:
        chances: (B, N) of being an event.
        boxes: (B, N, 2) centres and lengths in units of the video.
        durations: (B,) seconds.
    """
    events = chances.sum(dim=1)
    length = (chances * boxes[..., 1]).sum(dim=1) / events.clamp(min=1e-3)
    sure = chances.square().sum(dim=1)
    return torch.stack([events / USUAL_COUNT, sure, length * USUAL_COUNT, (durations / 300.0).log()], dim=-1)


def anchor_grid(count: int) -> Tensor:
    """(count, 2) centres and lengths that cover the video: most are short, the others twice and four times as long."""
    shares = [max(count - count // 4 - count // 8, 1), count // 4, count // 8]
    parts = []
    for size, length in zip(shares, (0.05, 0.1, 0.2), strict=True):
        if size:
            centres = (torch.arange(size) + 0.5) / size
            parts.append(torch.stack([centres, torch.full((size,), length)], dim=1))
    return torch.cat(parts)[:count]
