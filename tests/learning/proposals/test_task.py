"""Learning: eight videos by heart, shares of a batch, a whole run with folds, the answer against plain baselines."""

from pathlib import Path

import numpy as np
import pytest
import torch

from cookscribe.candidates import Candidates, tiou_matrix
from cookscribe.errors import BadValueError
from cookscribe.learning.config import TrainingConfig
from cookscribe.learning.loop import train
from cookscribe.learning.proposals.data import VideoSet
from cookscribe.learning.proposals.scoring import localisation
from cookscribe.learning.proposals.task import ProposalTask
from cookscribe.learning.state import fingerprint
from cookscribe.proposals.pdvc.config import ProposalConfig
from cookscribe.proposals.pdvc.propose import Proposer
from cookscribe.text.vocabulary import Vocabulary
from tests.learning.proposals.videos import made_up

TINY = {"feature_size": 16, "width": 64, "feedforward": 64, "frames": 64, "queries": 16, "caption_width": 48}


def task_of(folder: Path, count: int, training: TrainingConfig, **changes: object) -> ProposalTask:
    videos, store = made_up(count, folder)
    words = Vocabulary.build((text for video in videos for text in video.sentences), min_count=1)
    config = ProposalConfig.preset("small", **(TINY | {"words": len(words)} | changes))
    return ProposalTask(
        config, training, VideoSet(videos, store, config, words), VideoSet(videos, store, config, None), words
    )


def test_it_learns_eight_videos_by_heart(tmp_path: Path) -> None:
    training = TrainingConfig.parse(
        {
            "epochs": 110,
            "batch_size": 8,
            "learning_rate": 4e-3,
            "weight_decay": 0.0,
            "schedule": {"kind": "warmup-linear", "warmup": 5},
            "ema": 0.9,
            "evaluate_every": 110,
        }
    )
    videos, store = made_up(8, tmp_path / "features")
    config = ProposalConfig.preset("small", **TINY, groups=3)
    prepared = VideoSet(videos, store, config, None)
    train(ProposalTask(config, training, prepared, prepared, None), training, tmp_path / "model", quiet=True)
    found = Proposer.load(tmp_path / "model").run(prepared.inputs(range(8), torch.device("cpu")))
    recalled, right = [], []
    for video, candidates in zip(videos, found, strict=True):
        recalled += (tiou_matrix(video.spans, candidates.spans).max(axis=1) > 0.7).tolist()
        right.append(abs(candidates.count - len(video.spans)) < 0.5)
    assert np.mean(recalled) >= 0.95
    assert np.mean(right) >= 0.6


def test_captions_are_learnt(tmp_path: Path) -> None:
    task = task_of(tmp_path, 4, TrainingConfig(), caption_dropout=0.0)
    optimizer = torch.optim.Adam(task.model.parameters(), lr=5e-3)
    values = []
    for _ in range(25):
        term = task.losses([0, 1, 2, 3], 0)["caption.1"]
        values.append(term.total.item() / term.divisor)
        optimizer.zero_grad()
        torch.autograd.backward(term.total / term.divisor)
        optimizer.step()
    # Twelve words and the end, three words a sentence: knowing only how often each is used leaves more than 2 nats a
    # word, and the grammar alone leaves verb and dish open, 0.9 nats.
    assert 2.0 < values[0] < 2.5
    assert values[-1] < 0.5


def test_the_losses_of_a_batch_are_the_sums_of_its_shares(tmp_path: Path) -> None:
    task = task_of(tmp_path, 6, TrainingConfig(batch_size=6), caption_dropout=0.0)
    whole, left, right = (task.losses(items, 0) for items in ([0, 1, 2, 3, 4, 5], [0, 2, 4], [1, 3, 5]))
    assert whole.keys() == task.weights.keys()
    for name, term in whole.items():
        assert term.divisor == left[name].divisor + right[name].divisor
        torch.testing.assert_close(term.total, left[name].total + right[name].total, rtol=1e-4, atol=1e-4)


def test_a_proposal_training_repeats_exactly(tmp_path: Path) -> None:
    training = TrainingConfig(epochs=1, batch_size=4, threads=1)
    prints = []
    for name in ("a", "b"):
        task = task_of(tmp_path / "features", 8, training)
        train(task, training, tmp_path / name, quiet=True)
        prints.append(fingerprint(task.model.state_dict()))
    assert prints[0] == prints[1]


def test_truth_is_never_cut(tmp_path: Path) -> None:
    videos, store = made_up(2, tmp_path, steps=(15, 16))
    config = ProposalConfig.preset("small", **TINY)
    prepared = VideoSet(videos, store, config, None)
    assert [len(boxes) for boxes in prepared.truth([0, 1], torch.device("cpu")).boxes] == [15, 15]


def test_figures_of_candidates() -> None:
    truth = {
        "a": np.array([[0.0, 10.0], [20.0, 30.0], [40.0, 50.0]]),
        "b": np.array([[5.0, 25.0]]),
        "c": np.zeros((0, 2)),
    }
    exact = {key: Candidates(spans, np.full(len(spans), 0.5), 60.0, count=len(spans)) for key, spans in truth.items()}
    figures = localisation(exact, truth, ProposalConfig.preset("small"))
    assert [figures[name] for name in ("oracle", "answer", "top", "recall")] == pytest.approx([100.0] * 4)
    assert figures["count_correlation"] == pytest.approx(1.0)
    assert (figures["count_error"], figures["count_highest"]) == (0.0, 3.0)
    # Half of every true event, and one candidate that repeats a better one.
    spans = np.array([[0.0, 5.0], [0.0, 4.9], [20.0, 25.0], [40.0, 45.0]])
    half = {
        "a": Candidates(spans, np.array([0.9, 0.8, 0.7, 0.6]), 60.0, count=3.0),
        "b": Candidates(np.array([[5.0, 15.0]]), np.array([0.5]), 60.0, count=1.0),
    }
    figures = localisation(half, truth, ProposalConfig.preset("small"))
    assert [figures[name] for name in ("oracle", "answer", "nms")] == pytest.approx([50.0] * 3)
    assert figures["top"] == pytest.approx(100 * (1 / 3 + 1 / 2) / 2)
    assert figures["recall"] == 0.0
    with pytest.raises(BadValueError, match="not one annotated video"):
        localisation({}, truth, ProposalConfig.preset("small"))
