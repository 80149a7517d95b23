"""Deformable attention over one time axis and several resolutions, in plain PyTorch.

Every query looks at a few positions per level instead of at all frames (Zhu et al., "Deformable DETR", 2021). A
position falls between two rows; both are read, weighted by nearness, and everything outside the video is zero.

Reading the rows is an embedding bag with weights: it never writes the samples to memory. Its own backward sorts all
indices, which costs ten times the forward; with a few hundred tokens it is cheaper to spread the weights into a dense
(queries x rows) matrix and to multiply.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

# Zero rows before and after each level: a position may fall up to one row outside, and its right neighbour one more.
BEFORE, AFTER = 1, 2


@dataclass(frozen=True, eq=False)
class Pyramid:
    """Geometry of the token sequence: all levels behind one another, S tokens.

    Attributes:
        sizes: tokens per level, padding included.
        real: (B, levels) float, tokens per level that belong to the video.
        border: beyond its ends a video looks as at them; else there is nothing.
    """

    sizes: tuple[int, ...]
    real: Tensor
    border: bool = False

    @cached_property
    def tokens(self) -> int:
        """S."""
        return sum(self.sizes)

    @cached_property
    def table_starts(self) -> Tensor:
        """(levels,) row of each level's first token in the zero-padded table."""
        starts, row = [], 0
        for size in self.sizes:
            starts.append(row + BEFORE)
            row += BEFORE + size + AFTER
        return torch.tensor(starts, device=self.real.device, dtype=self.real.dtype)

    @cached_property
    def mask(self) -> Tensor:
        """(B, S) True for tokens of the video."""
        parts = [
            torch.arange(size, device=self.real.device) < self.real[:, level, None]
            for level, size in enumerate(self.sizes)
        ]
        return torch.cat(parts, dim=1)

    def centres(self) -> Tensor:
        """(B, S) place of every token in its video, in [0, 1] (padding lies beyond)."""
        parts = [
            (torch.arange(size, device=self.real.device) + 0.5) / self.real[:, level, None]
            for level, size in enumerate(self.sizes)
        ]
        return torch.cat(parts, dim=1)

    def table(self, values: Tensor) -> Tensor:
        """(..., S, d) to (..., S + 3 x levels, d): zero rows around every level."""
        parts = values.split(list(self.sizes), dim=-2)  # type: ignore[no-untyped-call]
        return torch.cat([functional.pad(part, (0, 0, BEFORE, AFTER)) for part in parts], dim=-2)

    def rows(self, locations: Tensor) -> tuple[Tensor, Tensor]:
        """Table rows of positions in the video.

        Args:
            locations: (B, ..., levels, points) in units of the video's length; 0 is its start, 1 its end.

        Returns:
            Index of the left neighbour (int64) and weight of the right one, both (B, ..., levels, points).
        """
        shape = (len(self.real), *[1] * (locations.ndim - 3), len(self.sizes), 1)
        real = self.real.view(shape)
        place = places(locations, real, self.border)
        left = place.detach().floor()
        return (left + self.table_starts[:, None]).long(), place - left


def places(locations: Tensor, real: Tensor, border: bool) -> Tensor:
    """Positions in units of the video to rows of a level with `real` of them, at most one row beyond its ends."""
    rows = locations * real - 0.5
    return torch.minimum(rows.clamp(min=0.0), real - 1) if border else torch.minimum(rows.clamp(min=-1.0), real)


class _WeightedRows(torch.autograd.Function):
    """sum_k left_k * table[index_k] + right_k * table[index_k + 1], per batch and head."""

    @staticmethod
    def forward(ctx: Any, table: Tensor, index: Tensor, left: Tensor, right: Tensor) -> Tensor:
        batch, heads, queries, samples = index.shape
        rows, size = table.shape[2:]
        ctx.save_for_backward(table, index, left, right)
        first = torch.arange(batch * heads, device=index.device).view(batch, heads, 1, 1) * rows
        both = torch.cat([index + first, index + (first + 1)], dim=-1).view(-1, 2 * samples)
        weights = torch.cat([left, right], dim=-1).view(-1, 2 * samples)
        summed = functional.embedding_bag(both, table.reshape(-1, size), mode="sum", per_sample_weights=weights)
        return summed.view(batch, heads, queries, size)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None, Tensor, Tensor]:
        table, index, left, right = ctx.saved_tensors
        gradient = gradients[0].contiguous()
        spread = gradient.new_zeros(*index.shape[:3], table.shape[2])
        spread.scatter_add_(3, index, left)
        beside = index + 1
        spread.scatter_add_(3, beside, right)
        towards = gradient @ table.transpose(2, 3)
        return spread.transpose(2, 3) @ gradient, None, towards.gather(3, index), towards.gather(3, beside)


def attend(values: Tensor, pyramid: Pyramid, locations: Tensor, weights: Tensor) -> Tensor:
    """Weighted sum of sampled values.

    Args:
        values: (B, H, S, d); tokens outside the video must be zero.
        locations: (B, H, Q, levels, points) in units of the video's length.
        weights: like `locations`.

    Returns:
        (B, H, Q, d)
    """
    index, nearness = pyramid.rows(locations)
    right = nearness * weights
    left = weights - right
    table = pyramid.table(values).contiguous()
    out: Tensor = _WeightedRows.apply(table, index.flatten(3), left.flatten(3), right.flatten(3))  # type: ignore[no-untyped-call]
    return out


def spread_locations(references: Tensor, offsets: Tensor, pyramid: Pyramid) -> Tensor:
    """Where to look: offsets around reference points, or inside reference spans.

    Args:
        references: (B, Q, 1) points, or (B, Q, 2) centres and lengths, in units of the video.
        offsets: (B, Q, H, levels, points); in tokens of the level for points, in half lengths / points for spans.

    Returns:
        (B, H, Q, levels, points)
    """
    centre = references[..., :1, None, None]
    if references.shape[-1] == 1:
        steps = offsets / pyramid.real[:, None, None, :, None]
    else:
        steps = offsets * (references[..., 1:, None, None] * (0.5 / offsets.shape[-1]))
    return (centre + steps).transpose(1, 2)


def initial_offsets(heads: int, levels: int, points: int) -> Tensor:
    """(heads x levels x points) start of the offsets' bias: heads look to both sides in turn, points ever further."""
    direction = torch.cos(torch.arange(heads) * (2 * torch.pi / max(heads, 1)))
    direction = torch.where(direction.abs() < 0.1, torch.ones(()) * 0.5, direction)
    return (direction[:, None, None] * torch.arange(1, points + 1)).expand(heads, levels, points).reshape(-1)


class DeformableAttention(nn.Module):
    """Multi-head deformable attention of Q queries to the S tokens of a pyramid."""

    def __init__(self, width: int, heads: int, levels: int, points: int) -> None:
        super().__init__()
        self.shape = (heads, levels, points)
        self.offsets = nn.Linear(width, heads * levels * points)
        self.weights = nn.Linear(width, heads * levels * points)
        self.values = nn.Linear(width, width)
        self.output = nn.Linear(width, width)
        nn.init.zeros_(self.offsets.weight)
        nn.init.zeros_(self.weights.weight)
        nn.init.zeros_(self.weights.bias)
        with torch.no_grad():
            self.offsets.bias.copy_(initial_offsets(heads, levels, points))
        for layer in (self.values, self.output):
            nn.init.xavier_uniform_(layer.weight)
            nn.init.zeros_(layer.bias)

    def forward(self, queries: Tensor, references: Tensor, tokens: Tensor, pyramid: Pyramid) -> Tensor:
        """Queries (B, Q, width), references (B, Q, 1 or 2), tokens (B, S, width) to (B, Q, width)."""
        batch, count, width = queries.shape
        heads, levels, points = self.shape
        values = self.values(tokens).masked_fill(~pyramid.mask[..., None], 0.0)
        values = values.view(batch, -1, heads, width // heads).transpose(1, 2)
        locations = spread_locations(references, self.offsets(queries).view(batch, count, *self.shape), pyramid)
        weights = self.weights(queries).view(batch, count, heads, levels * points).softmax(dim=-1)
        weights = weights.view(batch, count, *self.shape).transpose(1, 2)
        read = attend(values.float(), pyramid, locations.float(), weights.float())
        out: Tensor = self.output(read.transpose(1, 2).reshape(batch, count, width))
        return out
