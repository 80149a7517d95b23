"""The span model as a task of the shared training loop, its folder, and events for training videos out of fold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn import functional as F

from cookscribe.candidates import Candidates
from cookscribe.evaluation.events import Events
from cookscribe.evaluation.soda import soda
from cookscribe.learning.config import TrainingConfig
from cookscribe.learning.datasets.records import AnnotatedVideo
from cookscribe.learning.datasets.splits import development_split
from cookscribe.learning.folds import answers_out_of_fold, train_with_folds
from cookscribe.learning.loop import Term, seed_everything, shuffled, train
from cookscribe.proposals.spans import KIND, SpanConfig, SpanFinder, SpanModel, load_finder, span_labels
from cookscribe.track import FeatureTrack

TRAINING: dict[str, Any] = {
    "epochs": 8,
    "batch_size": 16,
    "learning_rate": 2e-3,
    "schedule": {"kind": "warmup-linear", "warmup": 0.5},
    "ema": 0.99,
    "evaluate_every": 2,
}


class SpanTask:
    """Learns the quality of spans and the number of steps; kept are the weights with the best SODA tIoU."""

    kind = KIND
    vocabulary = None
    score = "soda_tiou"
    weights: Mapping[str, float] = {"quality": 1.0, "count": 0.02}

    def __init__(
        self,
        config: SpanConfig,
        training: TrainingConfig,
        videos: Sequence[AnnotatedVideo],
        development: Sequence[AnnotatedVideo],
        tracks: Mapping[str, FeatureTrack],
    ) -> None:
        seed_everything("spans", training.seed)
        self.config, self.model = config, SpanModel(config)
        self.batch_size, self.seed = training.batch_size, training.seed
        self.rows = np.stack([tracks[video.id].resampled(config.bins) for video in videos])
        self.durations = np.array([video.duration for video in videos], dtype=np.float32)
        self.counts = np.array([len(video.spans) for video in videos], dtype=np.float32)
        self.labels = np.stack([span_labels(video.spans, video.duration, config) for video in videos])
        self.development = [(video, tracks[video.id]) for video in development]

    def batches(self, epoch: int) -> Sequence[Sequence[int]]:
        """Training videos in this epoch's order."""
        return shuffled(len(self.rows), self.batch_size, self.seed, epoch)

    def losses(self, items: Sequence[int], epoch: int) -> Mapping[str, Term]:
        """Cross-entropy against the tIoU of every span, and the Poisson loss of the count."""
        del epoch
        rows, durations, counts, labels = (
            torch.from_numpy(values[list(items)]) for values in (self.rows, self.durations, self.counts, self.labels)
        )
        quality, count = self.model(rows, durations)
        # A span of high tIoU is rare; it weighs more, or the model learns mostly what is no step.
        weight = 1.0 + 4.0 * labels
        of_spans = F.binary_cross_entropy_with_logits(quality, labels, weight=weight, reduction="none").mean(dim=1)
        of_counts = F.poisson_nll_loss(count, counts, log_input=False, reduction="none")
        return {"quality": Term(of_spans.sum(), len(items)), "count": Term(of_counts.sum(), len(items))}

    def evaluate(self) -> Mapping[str, float]:
        """SODA tIoU of the events found in the development videos."""
        finder = SpanFinder(self.model)
        truth, predicted, steps = {}, {}, []
        for video, track in self.development:
            found = finder.find(track)
            truth[video.id] = Events(video.spans, video.sentences)
            predicted[video.id] = Events(np.asarray(found.spans, dtype=np.float64), ("",) * len(found))
            steps.append(len(found))
        return {"soda_tiou": soda(truth, predicted, "tIoU", "strict"), "steps": float(np.mean(steps))}


def train_spans(
    videos: Mapping[str, AnnotatedVideo],
    tracks: Mapping[str, FeatureTrack],
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
    config = SpanConfig.parse(
        {**(changes or {}), "feature_size": tracks[first].width, "encoder": tracks[first].encoder}, "spans"
    )
    choices = TrainingConfig.parse({**TRAINING, **(training or {})}, "training")

    def one(keys: Sequence[str], folder: Path) -> None:
        rest, held_out = development_split(keys, 0.1)
        task = SpanTask(config, choices, [videos[k] for k in rest], [videos[k] for k in held_out], tracks)
        train(task, choices, folder, quiet=quiet)

    train_with_folds(videos, parts, out, one)

    def find(folder: Path, keys: list[str]) -> dict[str, Candidates]:
        finder = load_finder(folder)
        return {key: finder.find(tracks[key]) for key in keys}

    return answers_out_of_fold(out, list(videos), find)
