"""The reward against the evaluator's CIDEr-D, and whether drawing sentences makes the better ones more likely."""

import numpy as np
import torch

from cookscribe.evaluation.captions import CaptionTable
from cookscribe.learning.narrated.reward import PolicyGradientLoss, SentenceReward
from cookscribe.model.batch import Inputs, Targets
from cookscribe.model.config import BOS, EOS, PAD, UNK, LossConfig
from cookscribe.model.losses import StoryLosses
from cookscribe.model.recipe_model import RecipeModel
from tests.model.examples import WORDS, close, inputs_of, some_videos, targets_of
from tests.model.test_copying import copying_model, with_copy_words


def test_rewards_are_the_evaluators() -> None:
    rng = np.random.default_rng(0)
    true = [rng.integers(4, 12, rng.integers(1, 9)).tolist() for _ in range(30)]
    said = [rng.integers(4, 14, rng.integers(1, 12)).tolist() for _ in range(25)] + true[25:]
    numbers = np.arange(30)
    table = CaptionTable(
        [[str(word) for word in line] for line in true],
        [[str(word) for word in line] for line in said],
        *(numbers,) * 4,
        groups=30,
    )
    expected = table.cider(table.idf_by_corpus(np.ones(30, dtype=bool)))
    reward = SentenceReward(true)
    found = [reward.of([line], wanted)[0] for line, wanted in zip(said, true, strict=True)]
    assert expected.max() > 5
    assert np.allclose(found, expected)


def _batch(seed: int = 1) -> tuple[RecipeModel, Inputs, Targets]:
    videos = some_videos(seed)
    return copying_model(seed=seed), with_copy_words(inputs_of(videos), seed), targets_of(videos)


class _LikesSeven(SentenceReward):
    """Pays for the word 7, whatever is true."""

    def of(self, said: list[list[int]], wanted: list[int]) -> list[float]:  # type: ignore[override]
        del wanted
        return [float(7 in line) for line in said]


def test_drawn_sentences_are_sentences() -> None:
    model, inputs, targets = _batch()
    seen: list[list[int]] = []

    class Notes(SentenceReward):
        def of(self, said: list[list[int]], wanted: list[int]) -> list[float]:  # type: ignore[override]
            assert wanted
            seen.extend(said)
            return [float(n) for n in range(len(said))]

    trials = PolicyGradientLoss(model, Notes([]), 3, 5)
    with_trials = model(inputs, targets, trials)
    total, words = trials.term()
    assert len(seen) == 3 * int(targets.steps.sum())
    assert all(1 <= len(line) <= 5 and not {PAD, BOS, EOS, UNK} & set(line) for line in seen)
    assert any(word >= WORDS for line in seen for word in line), "heard words are copied, too"
    # The end of a sentence is a word that was chosen.
    assert words == sum(len(line) + 1 for line in seen)
    assert total.requires_grad
    # The pass itself stays what it was.
    losses = StoryLosses(LossConfig())
    assert close(losses.total(with_trials), losses.total(model(inputs, targets)))


def test_equal_rewards_teach_nothing() -> None:
    model, inputs, targets = _batch()

    class Content(SentenceReward):
        def of(self, said: list[list[int]], wanted: list[int]) -> list[float]:  # type: ignore[override]
            del wanted
            return [0.7] * len(said)

    trials = PolicyGradientLoss(model, Content([]), 2, 4)
    model(inputs, targets, trials)
    assert abs(float(trials.term()[0].detach())) < 1e-5


def test_what_is_rewarded_becomes_more_likely() -> None:
    torch.manual_seed(0)
    model, inputs, targets = _batch()
    model.train()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.03)
    shares = []
    for _ in range(12):
        trials = PolicyGradientLoss(model, _LikesSeven([]), 4, 3)
        model(inputs, targets, trials)
        total, words = trials.term()
        optimizer.zero_grad()
        (total / words).backward()
        optimizer.step()
        shares.append(float(np.mean(trials.rewards)))
    assert np.mean(shares[-3:]) > np.mean(shares[:3]) + 0.3, shares
