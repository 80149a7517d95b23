"""From feature rows to query vectors: the token pyramid, the deformable encoder and decoder (PDVC, section 3)."""

import math
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from cookscribe.proposals.pdvc.config import ProposalConfig
from cookscribe.proposals.pdvc.deformable import DeformableAttention, Pyramid

# A video an hour long still has its own place on the duration scale.
LONGEST = 3600.0
# Seconds of the thermometer.
THERMOMETER = 256


class MaskedGroupNorm(nn.GroupNorm):
    """Group normalisation whose mean and variance see real frames only: padding a batch changes nothing."""

    def forward(self, values: Tensor, mask: Tensor) -> Tensor:  # type: ignore[override]
        """Values (B, L, C) and mask (B, L) to (B, L, C), zero outside the mask."""
        batch, length, channels = values.shape
        grouped = values.view(batch, length, self.num_groups, -1)
        real = mask[:, :, None, None].to(values.dtype)
        count = real.sum(dim=(1, 3), keepdim=True) * grouped.shape[3]
        mean = (grouped * real).sum(dim=(1, 3), keepdim=True) / count
        centred = (grouped - mean) * real
        variance = centred.square().sum(dim=(1, 3), keepdim=True) / count
        scaled = (centred * torch.rsqrt(variance + self.eps)).view(batch, length, channels)
        return (scaled * self.weight + self.bias) * mask[..., None]


class TokenPyramid(nn.Module):
    """Feature rows to tokens at several resolutions: a 1x1 convolution, then stride-2 convolutions of width 3.

    The convolutions are linear layers over neighbouring rows, which on a CPU saves turning rows into channels and back.
    """

    def __init__(self, config: ProposalConfig) -> None:
        super().__init__()
        # The first two levels both read the raw features; every further one reads the level above it.
        sizes = [config.feature_size, 3 * config.feature_size, *[3 * config.width] * config.levels][: config.levels]
        self.layers = nn.ModuleList(nn.Linear(size, config.width) for size in sizes)
        self.border = config.padding == "border"
        groups = math.gcd(config.width, 32)
        self.norms = nn.ModuleList(MaskedGroupNorm(groups, config.width) for _ in range(config.levels))
        for layer in self.layers:
            assert isinstance(layer, nn.Linear)
            nn.init.xavier_uniform_(layer.weight)
            nn.init.zeros_(layer.bias)

    def forward(self, frames: Tensor, mask: Tensor) -> tuple[Tensor, Pyramid]:
        """Frames (B, L, D) and mask (B, L) to tokens (B, S, width) and their geometry."""
        source = frames * mask[..., None]
        levels: list[Tensor] = []
        real: list[Tensor] = []
        for number, (layer, norm) in enumerate(zip(self.layers, self.norms, strict=True)):
            if number > 1:
                source = levels[-1]
            if number:
                mask = mask[:, ::2]
            levels.append(norm(layer(halved(source) if number else source), mask))
            real.append(mask.sum(dim=1))
        sizes = tuple(level.shape[1] for level in levels)
        pyramid = Pyramid(sizes, torch.stack(real, dim=1).to(frames.dtype), self.border)
        return torch.cat(levels, dim=1), pyramid


def halved(rows: Tensor) -> Tensor:
    """(B, L, C) to (B, ceil(L / 2), 3 C): every second row with its two neighbours, zero beyond the ends."""
    padded = functional.pad(rows, (0, 0, 1, 1 + rows.shape[1] % 2))
    return torch.cat([padded[:, 0:-2:2], padded[:, 1:-1:2], padded[:, 2::2]], dim=-1)


def waves(values: Tensor, width: int) -> Tensor:
    """Sines and cosines of `values` (...) at geometric wavelengths: (..., width)."""
    rates = 10000.0 ** (-torch.arange(width // 2, device=values.device, dtype=values.dtype) * 2 / width)
    angles = values[..., None] * rates
    return torch.cat([angles.sin(), angles.cos()], dim=-1)


class Position(nn.Module):
    """Half of the width tells the place in the video, the other half how long the video is; plus a vector per level."""

    def __init__(self, config: ProposalConfig) -> None:
        super().__init__()
        self.part = config.width // 2
        self.thermometer = config.duration == "thermometer"
        self.duration = nn.Linear(THERMOMETER if self.thermometer else self.part, self.part)
        self.level = nn.Parameter(torch.empty(config.levels, config.width).normal_())

    def forward(self, pyramid: Pyramid, durations: Tensor) -> Tensor:
        """Durations (B,) seconds to (B, S, width)."""
        place = waves(pyramid.centres() * (2 * math.pi), self.part)
        if self.thermometer:
            marks = torch.arange(THERMOMETER, device=durations.device)
            told = (marks < durations.floor()[:, None]).to(place.dtype)
        else:
            told = waves(durations.clamp(max=LONGEST), self.part)
        length = self.duration(told)[:, None].expand_as(place)
        sizes = torch.tensor(pyramid.sizes, device=self.level.device)
        return torch.cat([place, length], dim=-1) + self.level.repeat_interleave(sizes, dim=0)


class EncoderLayer(nn.Module):
    """Deformable self-attention of the tokens, then a feed-forward part; normalised after each."""

    def __init__(self, config: ProposalConfig) -> None:
        super().__init__()
        self.attention = DeformableAttention(config.width, config.heads, config.levels, config.points)
        self.norm = nn.LayerNorm(config.width)
        self.feedforward = FeedForward(config)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, tokens: Tensor, position: Tensor, pyramid: Pyramid) -> Tensor:
        """Tokens and position (B, S, width) to (B, S, width)."""
        centres = pyramid.centres()[..., None]
        attended = self.attention(tokens + position, centres, tokens, pyramid)
        out: Tensor = self.feedforward(self.norm(tokens + self.dropout(attended)))
        return out


class DecoderLayer(nn.Module):
    """Self-attention among the queries, deformable attention to the tokens, feed-forward."""

    def __init__(self, config: ProposalConfig) -> None:
        super().__init__()
        self.among = nn.MultiheadAttention(config.width, config.heads, config.dropout, batch_first=True)
        self.among_norm = nn.LayerNorm(config.width)
        self.attention = DeformableAttention(config.width, config.heads, config.levels, config.points)
        self.norm = nn.LayerNorm(config.width)
        self.feedforward = FeedForward(config)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, hidden: Tensor, position: Tensor, references: Tensor, tokens: Tensor, pyramid: Pyramid) -> Tensor:
        """Hidden and position (R, N, width), references (R, N, 1 or 2) to (R, N, width).

        R is B, or a multiple of it: several sets of queries per video, which do not see each other.
        """
        asking = hidden + position
        among, _ = self.among(asking, asking, hidden, need_weights=False)
        hidden = self.among_norm(hidden + self.dropout(among))
        rows = (len(tokens), -1)
        asking = (hidden + position).reshape(*rows, hidden.shape[2])
        attended = self.attention(asking, references.reshape(*rows, references.shape[2]), tokens, pyramid)
        out: Tensor = self.feedforward(self.norm(hidden + self.dropout(attended.view_as(hidden))))
        return out


class FeedForward(nn.Module):
    """Two linear layers around a ReLU, residual, normalised."""

    def __init__(self, config: ProposalConfig) -> None:
        super().__init__()
        self.inner = nn.Linear(config.width, config.feedforward)
        self.outer = nn.Linear(config.feedforward, config.width)
        self.norm = nn.LayerNorm(config.width)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, values: Tensor) -> Tensor:
        inner = self.dropout(functional.relu(self.inner(values)))
        out: Tensor = self.norm(values + self.dropout(self.outer(inner)))
        return out


class Encoded(NamedTuple):
    """Tokens (B, S, width) of a batch of videos and their geometry; and the rows (B, L, D) they were made from."""

    tokens: Tensor
    pyramid: Pyramid
    frames: Tensor


class Encoder(nn.Module):
    """Feature rows to encoded tokens."""

    def __init__(self, config: ProposalConfig) -> None:
        super().__init__()
        self.pyramid = TokenPyramid(config)
        self.position = Position(config)
        self.layers = nn.ModuleList(EncoderLayer(config) for _ in range(config.encoder_layers))

    def forward(self, frames: Tensor, mask: Tensor, durations: Tensor) -> Encoded:
        """Frames (B, L, D), mask (B, L), durations (B,) seconds."""
        tokens, pyramid = self.pyramid(frames, mask)
        position = self.position(pyramid, durations)
        for layer in self.layers:
            tokens = layer(tokens, position, pyramid)
        return Encoded(tokens, pyramid, frames)
