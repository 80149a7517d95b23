"""Where the steps are, from what is said alone.

A narrated video is cut into equal bins. A few small convolutional networks read the speech track and how often
frequent words are said; each gives every span of bins a score, and the scores make a probability of every set of spans
(`span_sets`). People cut the same cooking into few long steps or many short ones: a network has scores for several
styles, and a probability of each. The answer is the set with the highest expected SODA tIoU where samples of all
networks together stand for the unknown truth.
"""

from functools import lru_cache
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import Field
from torch import Tensor, nn
from torch.nn import functional as F

from cookscribe.candidates import Candidates
from cookscribe.config import Config
from cookscribe.errors import BadValueError
from cookscribe.model.heads import sinusoid
from cookscribe.model_folder import CONFIG, open_model
from cookscribe.proposals.span_sets import SpanGrid, best_expected, sample_sets
from cookscribe.seeds import generator
from cookscribe.senses.transcripts import Transcript
from cookscribe.senses.word_counts import word_counts
from cookscribe.track import FeatureTrack

KIND = "spans"
SPAN = 48  # numbers a span is judged by
SAMPLES = 240  # sets that stand for the truth, of all networks together

# One for each pair of sizes: its tables are large.
span_grid = lru_cache(maxsize=8)(SpanGrid)


class SpanConfig(Config):
    """Sizes of a `SpanModel`.

    Attributes:
        feature_size: width of the track; words: frequent words that are counted.
        bins: equal parts of a video; longest: most bins of a span.
        styles, width, layers, dropout: of the network; encoder: of the track.
        word_dropout: share of the counts that a network does not see in training.
    """

    feature_size: int = Field(gt=0, le=2**17)
    words: tuple[str, ...] = Field(min_length=1, max_length=2**13)
    bins: int = Field(default=72, gt=1, le=256)
    longest: int = Field(default=27, gt=0, le=128)
    styles: int = Field(default=3, gt=0, le=16)
    width: int = Field(default=64, gt=0, le=2**13)
    layers: int = Field(default=3, ge=0, le=16)
    dropout: float = Field(default=0.2, ge=0, lt=1)
    word_dropout: float = Field(default=0.4, ge=0, lt=1)
    encoder: str = ""

    @property
    def grid(self) -> SpanGrid:
        """The spans that are judged."""
        return span_grid(self.bins, self.longest)

    def rows(self, track: FeatureTrack, transcript: Transcript) -> NDArray[np.float32]:
        """(bins, feature_size + W) what a network reads of a film: the speech track, then the counts of W words."""
        counts = word_counts(transcript, self.words, self.bins, track.duration)
        return np.concatenate((track.resampled(self.bins), counts), axis=1)


class SpanModel(nn.Module):
    """Rows of the bins of B films to scores of the S spans of the grid, for each of K styles."""

    places: Tensor
    lengths: Tensor

    def __init__(self, config: SpanConfig) -> None:
        super().__init__()
        self.config = config
        width, bins = config.width, config.bins
        self.enter = nn.Linear(config.feature_size + 1, width)
        self.of_words, self.word_dropout = (
            nn.Linear(len(config.words), width, bias=False),
            nn.Dropout(config.word_dropout),
        )
        nn.init.normal_(self.of_words.weight, std=0.01)
        self.convolutions = nn.ModuleList(
            nn.Conv1d(width, width, 5, padding=2 * 2**n, dilation=2**n) for n in range(config.layers)
        )
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(config.layers))
        self.dropout = nn.Dropout(config.dropout)
        self.of_start, self.of_end = nn.Linear(2 * width, SPAN), nn.Linear(2 * width, SPAN)
        self.of_inside, self.of_whole = nn.Linear(width, SPAN), nn.Linear(2 * width + 2, SPAN)
        self.of_length, self.of_seconds = nn.Embedding(config.longest + 1, SPAN), nn.Linear(2, SPAN)
        self.score, self.of_bin = nn.Linear(SPAN, config.styles), nn.Linear(width, config.styles)
        self.of_style = nn.Linear(2 * width + 2, config.styles)
        # Rows pick a span's first border, its last border, the mean of its bins and their sum: a product with this is
        # much faster than indexing, forwards and backwards.
        spans = config.grid.spans
        places = np.zeros((len(spans), 3 * bins + 2), dtype=np.float32)
        rows = np.arange(len(spans))
        places[rows, spans[:, 0]] = 1.0
        places[rows, bins + 1 + spans[:, 1]] = 1.0
        for row, (first, last) in enumerate(spans.tolist()):
            places[row, 2 * bins + 2 + first : 2 * bins + 2 + last] = 1.0 / (last - first)
        self.register_buffer("places", torch.from_numpy(places), persistent=False)
        self.register_buffer("lengths", torch.from_numpy(spans[:, 1] - spans[:, 0]), persistent=False)

    def forward(self, rows: Tensor, durations: Tensor) -> tuple[Tensor, Tensor]:
        """Scores and styles of films whose (B, bins, F + W) rows are read, (B,) seconds long.

        Returns:
            (B, K, S) scores: in a style, a set of spans is as likely as the exponential of their sum.
            (B, K) logarithms of the probabilities of the styles.
        """
        batch, bins, _ = rows.shape
        tracks, counts = rows[..., : self.config.feature_size], rows[..., self.config.feature_size :]
        length = (durations.log() - 5.5).view(batch, 1, 1)
        x = self.enter(torch.cat((tracks, length.expand(-1, bins, -1)), dim=-1))
        x = x + self.of_words(self.word_dropout(counts))
        x = self.dropout(F.relu(x + sinusoid(bins, self.config.width, device=x.device)))
        for convolution, norm in zip(self.convolutions, self.norms, strict=True):
            x = norm(x + self.dropout(F.relu(convolution(x.transpose(1, 2)).transpose(1, 2))))
        # A border is known by what lies on both of its sides.
        around = F.pad(x, (0, 0, 1, 1))
        borders = torch.cat((around[:, :-1], around[:, 1:]), dim=-1)
        known = torch.cat((self.of_start(borders), self.of_end(borders), self.of_inside(x)), dim=1)
        seconds = (self.lengths.view(1, -1) * durations.view(-1, 1) / bins).clamp(min=0.5).log() - 2.7
        whole = torch.cat((x.mean(dim=1), x.amax(dim=1), length.squeeze(1), length.squeeze(1) ** 2), dim=-1)
        joined = self.places @ known + self.of_length(self.lengths) + self.of_whole(whole).unsqueeze(1)
        joined = joined + self.of_seconds(torch.stack((seconds, seconds**2), dim=-1))
        # A long span takes the place of many empty bins; each of its bins must be worth that.
        inside = (self.places[:, 2 * bins + 2 :] @ self.of_bin(x)) * self.lengths.view(1, -1, 1)
        scores = self.score(F.relu(joined)) + inside - 2.0
        return scores.transpose(1, 2), self.of_style(whole).log_softmax(dim=-1)


class SpanFinder:
    """A trained `SpanModel` at work."""

    def __init__(self, model: SpanModel) -> None:
        self.model = model.eval()
        self.config = model.config

    @torch.no_grad()
    def find(self, track: FeatureTrack, transcript: Transcript, most: int = 18) -> Candidates:
        """The events of the best story; scores are expected tIoUs, the count is the expected number of steps.

        Args:
            track: the speech track of the film; transcript: what is said in it.
            most: events.
        """
        config = self.config
        device = next(self.model.parameters()).device
        rows = torch.from_numpy(config.rows(track, transcript)).unsqueeze(0).to(device)
        scores, styles = self.model(rows, torch.tensor([track.duration], dtype=torch.float32, device=device))
        shares = styles[0].exp().double().cpu().numpy()
        counts = np.diff(np.rint(SAMPLES * np.append(0.0, shares.cumsum()))).astype(np.int64)
        truths = sample_sets(scores[0], config.grid, counts, generator("span sets"))
        chosen, overlaps = best_expected(truths, config.grid, min(most, config.bins))
        spans = config.grid.spans[chosen] * (track.duration / config.bins)
        return Candidates(np.minimum(spans, track.duration), overlaps, track.duration, count=float(truths.sizes.mean()))


def load_finder(folder: Path, device: str = "cpu") -> SpanFinder:
    """Open a folder that `train_spans` wrote."""
    saved = open_model(folder, KIND)
    config = SpanConfig.parse(saved.config, saved.folder / CONFIG)
    return SpanFinder(saved.build(lambda: SpanModel(config)).to(device))


def check_width(finder: SpanFinder, width: int, folder: Path) -> None:
    """Refuse a span model that reads other tracks."""
    if finder.config.feature_size != width:
        raise BadValueError(folder, f"reads {finder.config.feature_size} columns, the track has {width}")
