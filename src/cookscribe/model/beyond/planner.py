"""The planner: what the whole story may look like, before its first step is told.

The paper's selector chooses one event after another. The planner looks at all candidates at once and says of each how
good it is (quality), where it really starts and ends (refinement), and how well it goes as the first, as the last and
behind any other one (a chain, see `chains.py`); and of the video, how many steps it has (count). `story_decoding.py`
turns this into the best ordered set of events.

It stands on the selector's vectors h_n of the first step, so it works with any of B to BIVT, and on pairs of
candidates, so it works with any N. With `planner_reads = "features"` it reads the features themselves instead: where
videos are few and the features already say what is needed, the recipe encoder between the two only learns by heart.
With `redundancy` it also says of each pair how much of one is lost when both are told, because they tell the same step.
"""

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from cookscribe.model.beyond.chains import Potentials
from cookscribe.model.beyond.refinement import BorderRefinement
from cookscribe.model.config import ModelConfig
from cookscribe.model.overlap import overlap_and_union, tiou_of_all

# A candidate shorter than this share of its video counts as this long.
SHORTEST_SHARE = 1e-3
PAIR_NUMBERS = 8
SINGLE_NUMBERS = 12
EDGE_WIDTH = 16
LAYERS = 2
DROPOUT = 0.1
# Features, which may be many, at first say little beside the twelve numbers.
FEATURE_SPREAD = 0.05
# An untrained planner should not hold every candidate for a step: about one in eight is one.
RARE = -2.0


@dataclass(frozen=True)
class Plan:
    """What the planner thinks of B videos with N candidates.

    Attributes:
        times: (B, N, 2) refined start and end as shares of the video.
        quality: (B, N) logits of the expected tIoU with the best true step.
        count: (B, C + 1) logits of 0 to C steps.
        potentials: of the chains.
        mask: (B, N) True for real candidates.
        redundancy: (B, N, N) logits, entry [b, i, j] for i before j: the expected tIoU that is lost when both are told
            (the smaller one, if both overlap the same step most); None if the planner does not say.
    """

    times: Tensor
    quality: Tensor
    count: Tensor
    potentials: Potentials
    mask: Tensor
    redundancy: Tensor | None = None


def pair_numbers(times: Tensor) -> Tensor:
    """How candidate j lies to candidate i, measured in lengths of i: (B, N, 2) shares give (B, N, N, 8).

    The four differences of borders and that of the centres (as angles, so that far is far and no more), the log length
    ratio, the tIoU, and the part of i that j covers.
    """
    start, end = times.unbind(dim=-1)
    length = (end - start).clamp(min=SHORTEST_SHARE)
    centre = (start + end) / 2

    def angle(mine: Tensor, theirs: Tensor) -> Tensor:
        return torch.atan((theirs.unsqueeze(1) - mine.unsqueeze(2)) / length.unsqueeze(2))

    overlap, _ = overlap_and_union(times.unsqueeze(2), times.unsqueeze(1))
    ratio = (length.unsqueeze(1) / length.unsqueeze(2)).log() / 2
    tiou = tiou_of_all(times)
    numbers = (
        angle(start, start),
        angle(end, end),
        angle(end, start),
        angle(start, end),
        angle(centre, centre),
        ratio,
        tiou,
        overlap / length.unsqueeze(2),
    )
    return torch.stack(numbers, dim=-1)


def single_numbers(times: Tensor, scores: Tensor, mask: Tensor) -> Tensor:
    """What geometry and scores say of each candidate: (B, N, 12), each number of the size of 1.

    Place and length, score, rank, and what non-maximum suppression looks at: the overlap with better candidates and how
    many others stand in the same place.
    """
    start, end = times.unbind(dim=-1)
    length = (end - start).clamp(min=SHORTEST_SHARE)
    real = mask.to(times.dtype)
    many = real.sum(dim=1, keepdim=True).clamp(min=1)
    tiou = tiou_of_all(times) * real.unsqueeze(1)
    better = ((scores.unsqueeze(1) > scores.unsqueeze(2)) & mask.unsqueeze(1)).to(times.dtype)
    mean_score = (scores * real).sum(dim=1, keepdim=True) / many
    numbers = (
        2 * start - 1,
        2 * end - 1,
        10 * length.clamp(max=0.3) - 1,
        (length.log() + 2.7),
        torch.logit(scores, eps=1e-3) + 1,
        3 * scores - 1,
        better.sum(dim=2) / many * 2 - 1,
        (tiou * better).amax(dim=2) * 2 - 1,
        (tiou * scores.unsqueeze(1)).sum(dim=2) - 1,
        tiou.sum(dim=2) / many * 8 - 1,
        (8 * mean_score - 2).expand_as(start),
        (many.log() - 3).expand_as(start),
    )
    return torch.stack(numbers, dim=-1)


class RelationLayer(nn.Module):
    """Self-attention over candidates whose logits also know how the two lie to each other, and a feed-forward part."""

    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.attention_norm = nn.LayerNorm(width)
        self.project = nn.Linear(width, 3 * width)
        self.together = nn.Linear(width, width)
        self.forward_norm = nn.LayerNorm(width)
        self.inner = nn.Linear(width, 2 * width)
        self.outer = nn.Linear(2 * width, width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, bias: Tensor) -> Tensor:
        """(B, N, d) rows and (B, heads, N, N) added to the attention logits (minus infinity for padding)."""
        videos, count, width = x.shape
        projected = self.project(self.attention_norm(x)).view(videos, count, 3, self.heads, width // self.heads)
        query, key, value = projected.permute(2, 0, 3, 1, 4)
        weights = (query @ key.transpose(-1, -2) / math.sqrt(width // self.heads) + bias).softmax(dim=-1)
        x = x + self.dropout(self.together((weights @ value).transpose(1, 2).flatten(2)))
        after: Tensor = x + self.dropout(self.outer(torch.relu(self.inner(self.forward_norm(x)))))
        return after


class StoryPlanner(nn.Module):
    """Relation layers over the candidates and one small head for each thing the plan says."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        width = config.planner_width
        self.head_count = config.planner_heads
        self.edge_channel = config.planner_heads * LAYERS
        self.hidden_norm: nn.Module
        if config.planner_reads == "features":
            self.hidden_norm = nn.Identity()
            self.from_hidden = nn.Linear(config.outside_size, width)
            nn.init.normal_(self.from_hidden.weight, std=FEATURE_SPREAD)
            self.hidden_dropout = nn.Dropout(DROPOUT)
        else:
            self.hidden_norm = nn.LayerNorm(config.width)
            self.from_hidden = nn.Linear(config.width, width)
            self.hidden_dropout = nn.Dropout(0.0)
        self.from_numbers = nn.Sequential(nn.Linear(SINGLE_NUMBERS, width), nn.ReLU(), nn.Linear(width, width))
        channels = self.edge_channel + 1 + config.redundancy
        self.pairs = nn.Sequential(nn.Linear(PAIR_NUMBERS, 16), nn.ReLU(), nn.Linear(16, channels))
        self.layers = nn.ModuleList(RelationLayer(width, config.planner_heads, DROPOUT) for _ in range(LAYERS))
        self.norm = nn.LayerNorm(width)
        self.middle = nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Dropout(DROPOUT))
        self.refinement = BorderRefinement(width)
        self.judgement = nn.Linear(width, 4)  # quality, node, first, last
        self.before, self.after = nn.Linear(width, EDGE_WIDTH), nn.Linear(width, EDGE_WIDTH)
        self.pair_earlier: nn.Linear | None = None
        if config.redundancy:
            self.pair_earlier, self.pair_later = nn.Linear(width, EDGE_WIDTH), nn.Linear(width, EDGE_WIDTH)
        self.count = nn.Sequential(
            nn.Linear(2 * width, width), nn.ReLU(), nn.Dropout(DROPOUT), nn.Linear(width, config.most_steps + 1)
        )
        with torch.no_grad():
            self.judgement.bias.zero_()
            self.judgement.bias[1] = RARE

    def forward(self, hidden: Tensor, times: Tensor, scores: Tensor, mask: Tensor) -> Plan:
        """Plan the stories of B videos.

        Args:
            hidden: (B, N, d) the selector's vectors of the candidates, without STOP, or their features.
            times: (B, N, 2) shares of the video; scores: (B, N) proposal scores.
            mask: (B, N) True for real candidates.
        """
        x = self.hidden_dropout(self.from_hidden(self.hidden_norm(hidden)))
        x = x + self.from_numbers(single_numbers(times, scores, mask))
        pairs = self.pairs(pair_numbers(times)).permute(0, 3, 1, 2)
        # A large number instead of infinity: a video without any candidate must not turn into NaN.
        hide = torch.zeros_like(scores).masked_fill(~mask, -1e4)[:, None, None, :]
        for number, layer in enumerate(self.layers):
            x = layer(x, pairs[:, number * self.head_count : (number + 1) * self.head_count] + hide)
        x = self.norm(x)
        middle = self.middle(x)
        quality, node, first, last = self.judgement(middle).unbind(dim=-1)
        edge = pairs[:, self.edge_channel] + _products(self.before(x), self.after(x))
        potentials = Potentials(node.masked_fill(~mask, float("-inf")), first, last, edge)
        count = self.count(self._whole(x, mask))
        redundancy = None
        if self.pair_earlier is not None:
            redundancy = pairs[:, self.edge_channel + 1] + _products(self.pair_earlier(x), self.pair_later(x))
        return Plan(self.refinement(middle, times), quality, count, potentials, mask, redundancy)

    def _whole(self, x: Tensor, mask: Tensor) -> Tensor:
        """(B, 2 d) mean and maximum over the real candidates."""
        real = mask.unsqueeze(-1)
        mean = (x * real).sum(dim=1) / real.sum(dim=1).clamp(min=1)
        largest = x.masked_fill(~real, -1e4).amax(dim=1) * mask.any(dim=1, keepdim=True)
        return torch.cat((mean, largest), dim=-1)


def _products(left: Tensor, right: Tensor) -> Tensor:
    """(B, N, e) and (B, N, e) to the scaled products of every pair, (B, N, N)."""
    return left @ right.transpose(1, 2) / math.sqrt(EDGE_WIDTH)
