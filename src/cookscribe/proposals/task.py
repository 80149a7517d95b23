"""The proposal model as a task of the shared training loop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import torch

from cookscribe.candidates import Candidates, tiou_matrix
from cookscribe.datasets.oracle import oracle_labels
from cookscribe.datasets.vocabulary import Vocabulary
from cookscribe.proposals.config import ProposalConfig
from cookscribe.proposals.criterion import Criterion
from cookscribe.proposals.data import VideoSet
from cookscribe.proposals.pdvc import PDVC
from cookscribe.proposals.propose import KIND, Proposer
from cookscribe.proposals.ranking import rerank
from cookscribe.training.config import TrainingConfig
from cookscribe.training.loop import Term, seed_everything, shuffled

# Passed over by the answer that is scored during training: a candidate that repeats a better one.
OVERLAP = 0.3


class ProposalTask:
    """Learns events, counts and captions of `training`; scored by its candidates and its answer on `development`."""

    kind = KIND
    score = "score"

    def __init__(
        self,
        config: ProposalConfig,
        training: TrainingConfig,
        videos: VideoSet,
        development: VideoSet,
        vocabulary: Vocabulary | None,
    ) -> None:
        seed_everything("proposals", training.seed)
        self.config = config
        self.model = PDVC(config)
        self.vocabulary = vocabulary
        self.criterion = Criterion(config)
        self.weights: Mapping[str, float] = self.criterion.weights
        self.videos, self.development = videos, development
        self.batch_size, self.seed = training.batch_size, training.seed

    @property
    def device(self) -> torch.device:
        """Where the model is."""
        return self.model.query.device

    def batches(self, epoch: int) -> Sequence[Sequence[int]]:
        """Training videos in this epoch's order."""
        return shuffled(len(self.videos), self.batch_size, self.seed, epoch)

    def losses(self, items: Sequence[int], epoch: int) -> Mapping[str, Term]:
        """The four losses of these videos on every layer."""
        del epoch
        inputs = self.videos.inputs(items, self.device)
        layers, encoded = self.model(inputs.frames, inputs.mask, inputs.durations)
        return self.criterion(self.model, layers, encoded, self.videos.truth(items, self.device))

    def evaluate(self) -> Mapping[str, float]:
        """Localisation on the development part; captions are left out because they cost more than all the rest."""
        proposer = Proposer(self.model, None)
        found: list[Candidates] = []
        for first in range(0, len(self.development), 32):
            items = range(first, min(first + 32, len(self.development)))
            found += proposer.run(self.development.inputs(items, self.device), captions=False)
        return localisation(found, [video.spans for video in self.development.videos])


def localisation(found: Sequence[Candidates], truth: Sequence[np.ndarray]) -> dict[str, float]:
    """How good candidates are before anybody chooses among them, and how good the model's own answer is.

    Returns:
        `oracle`: SODA tIoU if the best candidate of every true event were chosen; `answer`: SODA tIoU of the ranked
        answer without repetitions; `score`: mean of the two; `recall`: share of true events with a candidate of tIoU
        above 0.5; `count_correlation` and `count_error`: of the expected count.
    """
    oracle, answer, best = [], [], []
    for candidates, spans in zip(found, truth, strict=True):
        labels = oracle_labels(spans, candidates.spans, "story")
        oracle.append(soda_tiou(candidates.spans[labels[labels >= 0]], spans))
        answer.append(soda_tiou(rerank(candidates, overlap=OVERLAP).spans, spans))
        if len(candidates):
            best.extend(tiou_matrix(spans, candidates.spans).max(axis=1).tolist())
    counts = np.array([candidates.count or 0.0 for candidates in found])
    true = np.array([len(spans) for spans in truth], dtype=np.float64)
    varied = len(found) > 1 and counts.std() > 0 and true.std() > 0
    return {
        "score": float(np.mean(oracle) + np.mean(answer)) / 2,
        "oracle": float(np.mean(oracle)),
        "answer": float(np.mean(answer)),
        "recall": float(np.mean(np.array(best) > 0.5)) if best else 0.0,
        "count_correlation": float(np.corrcoef(counts, true)[0, 1]) if varied else 0.0,
        "count_error": float(np.abs(counts.round() - true).mean()),
    }


def soda_tiou(found: np.ndarray, truth: np.ndarray) -> float:
    """F1 of the best in-order assignment of found to true spans by tIoU, in [0, 1]."""
    if not len(found) or not len(truth):
        return 0.0
    labels = oracle_labels(truth, found, "story")
    tiou = tiou_matrix(truth, found)
    total = sum(tiou[step, label] for step, label in enumerate(labels) if label >= 0)
    precision, recall = total / len(found), total / len(truth)
    return float(2 * precision * recall / (precision + recall)) if total > 0 else 0.0
