"""Where the steps are, from the speech track alone: how good every possible span is, and the best story of spans.

A narrated video is cut into equal bins. A small convolutional network reads the track and estimates for every span of
bins its expected tIoU with the best true step, and how many steps the video has. The answer has that many spans, which
do not overlap and have the highest sum of estimates; a dynamic programme finds it.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import Field
from torch import Tensor, nn
from torch.nn import functional as F

from cookscribe.candidates import Candidates, tiou_matrix
from cookscribe.config import Config
from cookscribe.errors import BadValueError
from cookscribe.model.heads import sinusoid
from cookscribe.model_folder import CONFIG, open_model
from cookscribe.track import FeatureTrack

Floats = NDArray[np.float64]

KIND = "spans"
SPAN = 32  # numbers a span is judged by


class SpanConfig(Config):
    """Sizes of a `SpanModel`.

    Attributes:
        feature_size: width of the track; bins: equal parts of a video; longest: most bins of a span.
        width, layers, dropout: of the network; encoder: name of the features.
    """

    feature_size: int = Field(gt=0, le=2**17)
    bins: int = Field(default=72, gt=1, le=256)
    longest: int = Field(default=27, gt=0, le=128)
    width: int = Field(default=64, gt=0, le=2**13)
    layers: int = Field(default=3, ge=0, le=16)
    dropout: float = Field(default=0.2, ge=0, lt=1)
    encoder: str = ""

    @property
    def grid(self) -> NDArray[np.int64]:
        """(S, 2) first and last bin border of every span, in order of start, then length."""
        pairs = [(s, s + n) for s in range(self.bins) for n in range(1, self.longest + 1) if s + n <= self.bins]
        return np.array(pairs, dtype=np.int64)


class SpanModel(nn.Module):
    """(B, bins, F) tracks and (B,) durations to span qualities and counts."""

    places: Tensor
    lengths: Tensor

    def __init__(self, config: SpanConfig) -> None:
        super().__init__()
        self.config = config
        width = config.width
        self.enter = nn.Linear(config.feature_size + 1, width)
        self.convolutions = nn.ModuleList(
            nn.Conv1d(width, width, 5, padding=2 * 2**n, dilation=2**n) for n in range(config.layers)
        )
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(config.layers))
        self.dropout = nn.Dropout(config.dropout)
        self.of_start, self.of_end = nn.Linear(2 * width, SPAN), nn.Linear(2 * width, SPAN)
        self.of_inside = nn.Linear(width, SPAN)
        self.of_length = nn.Embedding(config.longest + 1, SPAN)
        self.of_seconds = nn.Linear(2, SPAN)
        self.quality = nn.Linear(SPAN, 1)
        self.count = nn.Linear(2 * width + 2, 1)
        grid = config.grid
        # Rows pick a span's first border, its last border, and the mean of its bins: a product with this is much faster
        # than indexing, forwards and backwards.
        places = np.zeros((len(grid), 3 * config.bins + 2), dtype=np.float32)
        rows = np.arange(len(grid))
        places[rows, grid[:, 0]] = 1.0
        places[rows, config.bins + 1 + grid[:, 1]] = 1.0
        for row, (first, last) in enumerate(grid.tolist()):
            places[row, 2 * config.bins + 2 + first : 2 * config.bins + 2 + last] = 1.0 / (last - first)
        self.register_buffer("places", torch.from_numpy(places), persistent=False)
        self.register_buffer("lengths", torch.from_numpy(grid[:, 1] - grid[:, 0]), persistent=False)

    def forward(self, tracks: Tensor, durations: Tensor) -> tuple[Tensor, Tensor]:
        """(B, S) logits of the expected tIoU of the spans of `SpanConfig.grid`, and (B,) expected numbers of steps."""
        batch, bins, _ = tracks.shape
        length = (durations.log() - 5.5).view(batch, 1, 1)
        x = self.enter(torch.cat((tracks, length.expand(-1, bins, -1)), dim=-1))
        x = self.dropout(F.relu(x + sinusoid(bins, self.config.width, device=x.device)))
        for convolution, norm in zip(self.convolutions, self.norms, strict=True):
            x = norm(x + self.dropout(F.relu(convolution(x.transpose(1, 2)).transpose(1, 2))))
        # A border is known by what lies on both of its sides.
        around = F.pad(x, (0, 0, 1, 1))
        borders = torch.cat((around[:, :-1], around[:, 1:]), dim=-1)
        known = torch.cat((self.of_start(borders), self.of_end(borders), self.of_inside(x)), dim=1)
        seconds = (self.lengths.view(1, -1) * durations.view(-1, 1) / bins).clamp(min=0.5).log() - 2.7
        joined = self.places @ known + self.of_length(self.lengths)
        joined = joined + self.of_seconds(torch.stack((seconds, seconds**2), dim=-1))
        quality = self.quality(F.relu(joined)).squeeze(-1)
        whole = torch.cat((x.mean(dim=1), x.amax(dim=1), length.squeeze(1), length.squeeze(1) ** 2), dim=-1)
        count: Tensor = F.softplus(self.count(whole).squeeze(-1) + 5.0) + 1.0
        return quality, count


def span_labels(truth: Floats, duration: float, config: SpanConfig) -> NDArray[np.float32]:
    """(S,) tIoU of every span of the grid with the best true step, (T, 2) seconds."""
    spans = config.grid * (duration / config.bins)
    return np.asarray(tiou_matrix(spans, truth).max(axis=1, initial=0.0), dtype=np.float32)


def best_sets(quality: Floats, config: SpanConfig, most: int) -> list[tuple[float, list[int]]]:
    """For K = 1 to `most`, the K spans of the grid that do not overlap with the highest sum of `quality`, (S,)."""
    grid, bins = config.grid, config.bins
    # reached[k, t]: best sum of k spans that end at border t or before.
    reached = np.full((most + 1, bins + 1), -math.inf)
    reached[0] = 0.0
    taken = np.full((most + 1, bins + 1), -1, dtype=np.int64)
    by_end = [np.flatnonzero(grid[:, 1] == border) for border in range(bins + 1)]
    for border in range(1, bins + 1):
        spans = by_end[border]
        sums = reached[:-1, grid[spans, 0]] + quality[spans]
        best = sums.argmax(axis=1)
        value = sums[np.arange(most), best]
        better = value > reached[1:, border - 1]
        reached[1:, border] = np.where(better, value, reached[1:, border - 1])
        taken[1:, border] = np.where(better, spans[best], -1)
    found = []
    for count in range(1, most + 1):
        if not math.isfinite(reached[count, bins]):
            break
        chosen, k, border = [], count, bins
        while k:
            span = taken[k, border]
            if span < 0:
                border -= 1
                continue
            chosen.append(int(span))
            k, border = k - 1, int(grid[span, 0])
        found.append((float(reached[count, bins]), chosen[::-1]))
    return found


class SpanFinder:
    """A trained `SpanModel` at work."""

    def __init__(self, model: SpanModel) -> None:
        self.model = model.eval()
        self.config = model.config

    @torch.no_grad()
    def qualities(self, track: FeatureTrack) -> tuple[Floats, float]:
        """(S,) expected tIoU of the spans of the grid, and the expected number of steps."""
        device = self.model.places.device
        rows = torch.from_numpy(track.resampled(self.config.bins)).unsqueeze(0).to(device)
        quality, count = self.model(rows, torch.tensor([track.duration], dtype=torch.float32, device=device))
        return quality[0].sigmoid().double().cpu().numpy(), float(count[0])

    def find(self, track: FeatureTrack, most: int = 18) -> Candidates:
        """The events of the best story; scores are expected tIoUs."""
        quality, count = self.qualities(track)
        wanted = max(1, min(round(count), most, self.config.bins))
        chosen = best_sets(quality, self.config, wanted)[-1][1]
        spans = self.config.grid[chosen] * (track.duration / self.config.bins)
        return Candidates(np.minimum(spans, track.duration), quality[chosen], track.duration, count=count)


def load_finder(folder: Path, device: str = "cpu") -> SpanFinder:
    """Open a folder that `train_spans` wrote."""
    saved = open_model(folder, KIND)
    config = SpanConfig.parse(saved.config, saved.folder / CONFIG)
    return SpanFinder(saved.build(lambda: SpanModel(config)).to(device))


def check_width(finder: SpanFinder, width: int, folder: Path) -> None:
    """Refuse a span model that reads other tracks."""
    if finder.config.feature_size != width:
        raise BadValueError(folder, f"reads {finder.config.feature_size} columns, the track has {width}")
