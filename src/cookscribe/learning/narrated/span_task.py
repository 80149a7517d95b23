"""The span model as a task of the shared training loop, its folder, and events for training videos out of fold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from cookscribe.candidates import Candidates
from cookscribe.learning.config import TrainingConfig
from cookscribe.learning.datasets.records import AnnotatedVideo
from cookscribe.learning.datasets.splits import development_split
from cookscribe.learning.folds import answers_out_of_fold, train_with_folds
from cookscribe.learning.loop import Term, seed_everything, shuffled, train
from cookscribe.proposals.span_sets import log_sums
from cookscribe.proposals.spans import KIND, SpanConfig, SpanModel, load_finder
from cookscribe.senses.transcripts import Transcript
from cookscribe.senses.word_counts import frequent_words
from cookscribe.track import FeatureTrack

TRAINING: dict[str, Any] = {
    "epochs": 8,
    "batch_size": 16,
    "learning_rate": 2e-3,
    "weight_decay": 0.05,
    "schedule": {"kind": "warmup-linear", "warmup": 0.5},
    "ema": 0.99,
    "evaluate_every": 2,
}
WORDS = 300  # the most frequent ones are counted


class SpanTask:
    """Learns which set of spans is the true one; kept are the weights that find the development videos' most likely."""

    kind = KIND
    vocabulary = None
    score = "log_likelihood"
    weights: Mapping[str, float] = {"sets": 0.03}

    def __init__(
        self,
        config: SpanConfig,
        training: TrainingConfig,
        videos: Sequence[AnnotatedVideo],
        development: Sequence[AnnotatedVideo],
        rows: Mapping[str, NDArray[np.float32]],
    ) -> None:
        seed_everything("spans", training.seed)
        self.config, self.model = config, SpanModel(config)
        self.batch_size, self.seed = training.batch_size, training.seed
        self.examples = _Examples(config, videos, rows)
        self.development = _Examples(config, development, rows)

    def batches(self, epoch: int) -> Sequence[Sequence[int]]:
        """Training videos in this epoch's order."""
        return shuffled(len(self.examples.rows), self.batch_size, self.seed, epoch)

    def losses(self, items: Sequence[int], epoch: int) -> Mapping[str, Term]:
        """Minus the log-likelihood of the true steps."""
        del epoch
        return {"sets": Term(-self.examples.log_likelihoods(self.model, items).sum(), len(items))}

    @torch.no_grad()
    def evaluate(self) -> Mapping[str, float]:
        """Mean log-likelihood of the true steps of a development video."""
        self.model.eval()
        count = len(self.development.rows)
        parts = [range(start, min(start + self.batch_size, count)) for start in range(0, count, self.batch_size)]
        found = torch.cat([self.development.log_likelihoods(self.model, part) for part in parts])
        return {"log_likelihood": float(found.mean())}


class _Examples:
    """What is read of videos, and their true steps, as tensors."""

    def __init__(
        self, config: SpanConfig, videos: Sequence[AnnotatedVideo], rows: Mapping[str, NDArray[np.float32]]
    ) -> None:
        self.grid = config.grid
        self.rows = torch.from_numpy(np.stack([rows[video.id] for video in videos]))
        self.durations = torch.tensor([video.duration for video in videos], dtype=torch.float32)
        self.true = torch.zeros(len(videos), len(self.grid.spans))
        for row, video in enumerate(videos):
            self.true[row, torch.from_numpy(self.grid.nearest_set(video.spans, video.duration))] = 1.0

    def log_likelihoods(self, model: SpanModel, items: Sequence[int]) -> Tensor:
        """(B,) logarithm of the probability of each video's true set."""
        chosen = list(items)
        scores, styles = model(self.rows[chosen], self.durations[chosen])
        whole = log_sums(scores.flatten(0, 1), self.grid)[:, -1].view(styles.shape)
        true = self.true[chosen].view(len(chosen), 1, -1)
        found: Tensor = ((scores * true).sum(dim=-1) - whole + styles).logsumexp(dim=-1)
        return found


def train_spans(
    videos: Mapping[str, AnnotatedVideo],
    tracks: Mapping[str, FeatureTrack],
    transcripts: Mapping[str, Transcript],
    out: Path,
    *,
    parts: int,
    changes: Mapping[str, Any] | None = None,
    training: Mapping[str, Any] | None = None,
    quiet: bool = False,
) -> dict[str, Candidates]:
    """Train a span model into `out`, and one more for each of `parts` folds of the videos (see `folds`).

    Returns:
        The events of every training video, by a model that did not see it.
    """
    first = next(iter(videos))
    heard = {
        "feature_size": tracks[first].width,
        "encoder": tracks[first].encoder,
        "words": frequent_words((transcripts[key] for key in videos), WORDS),
    }
    config = SpanConfig.parse({**(changes or {}), **heard}, "spans")
    rows = {key: config.rows(tracks[key], transcripts[key]) for key in videos}
    choices = TrainingConfig.parse({**TRAINING, **(training or {})}, "training")

    def one(keys: Sequence[str], folder: Path) -> None:
        rest, held_out = development_split(keys, 0.1)
        task = SpanTask(config, choices, [videos[k] for k in rest], [videos[k] for k in held_out], rows)
        train(task, choices, folder, quiet=quiet)

    train_with_folds(videos, parts, out, one)

    def find(folder: Path, keys: list[str]) -> dict[str, Candidates]:
        finder = load_finder(folder)
        return {key: finder.find(tracks[key], transcripts[key]) for key in keys}

    return answers_out_of_fold(out, list(videos), find)
