"""The writer of narrated videos as a task of the shared training loop.

Every epoch sees every video anew: its events are the true steps, the same with moved borders, or the out-of-fold
proposals that stand for them, because the borders met later are never the true ones; some steps are left out; and the
ingredient list is given, given in part, or replaced by the ingredients heard. All of it depends on seed, epoch and
video alone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from cookscribe.candidates import Candidates
from cookscribe.config import Config
from cookscribe.learning.config import TrainingConfig
from cookscribe.learning.datasets.oracle import oracle_labels
from cookscribe.learning.datasets.records import AnnotatedVideo
from cookscribe.learning.loop import Term
from cookscribe.learning.narrated.reward import PolicyGradientLoss, SentenceReward
from cookscribe.learning.story_data import StoryTruth, batch_targets
from cookscribe.learning.story_task import StoryTask
from cookscribe.model.story_config import StoryConfig
from cookscribe.model.story_input import StoryInput, batch_inputs
from cookscribe.pipelines.transcript_reader import NarratedVideo, TranscriptReader
from cookscribe.seeds import generator
from cookscribe.text.tokens import ptb_tokens
from cookscribe.text.vocabulary import BOS, EOS, UNK, Vocabulary

Spans = NDArray[np.float64]

REWARD = "reward"
SHORTEST = 2.0  # seconds of a moved event


class Augmentation(Config):
    """How the videos of an epoch differ from the annotated ones; all are shares of the videos, steps or names.

    Attributes:
        moved, proposed: videos whose events have moved borders, and those that take the proposals'.
        move: standard deviation of a moved border, in lengths of its step (and two seconds more).
        skipped: steps left out.
        without_ingredients: videos whose ingredient list is replaced by the ingredients heard.
        forgotten: names missing in a list.
        shuffled: lists in any order, which are otherwise in the order of use.
    """

    moved: float = Field(default=0.45, ge=0, le=1)
    proposed: float = Field(default=0.35, ge=0, le=1)
    move: float = Field(default=0.25, ge=0)
    skipped: float = Field(default=0.08, ge=0, lt=1)
    without_ingredients: float = Field(default=0.6, ge=0, le=1)
    forgotten: float = Field(default=0.1, ge=0, lt=1)
    shuffled: float = Field(default=0.15, ge=0, le=1)


class RewardConfig(Config):
    """How the last epochs learn from the scores of drawn sentences (see `reward`).

    Attributes:
        epochs: how many epochs at the end, at most half of them.
        trials: sentences drawn for a step; share: steps that are tried.
        weight: of the loss of the drawn sentences; truth: how much the true sentences still count.
    """

    epochs: int = Field(default=4, ge=0)
    trials: int = Field(default=4, ge=2)
    share: float = Field(default=0.5, ge=0, le=1)
    weight: float = Field(default=1.0, ge=0)
    truth: float = Field(default=0.2, ge=0)


@dataclass(frozen=True, eq=False)
class SpeechExample:
    """An annotated video with what is heard in it, and its proposals if there are some."""

    truth: AnnotatedVideo
    heard: NarratedVideo
    proposals: Candidates | None


def moved_spans(spans: Spans, duration: float, move: float, rng: np.random.Generator) -> Spans:
    """Borders moved at random, still inside the video and in order of start."""
    length = spans[:, 1:] - spans[:, :1]
    moved = spans + rng.normal(size=spans.shape) * (move * length + 2.0)
    start = np.clip(moved[:, 0], 0.0, max(duration - SHORTEST, 0.0))
    end = np.clip(np.maximum(moved[:, 1], start + SHORTEST), None, duration)
    return np.stack([start, np.maximum(end, start)], axis=1)


def drawn_events(
    video: AnnotatedVideo, proposals: Candidates | None, augmentation: Augmentation, rng: np.random.Generator
) -> tuple[NDArray[np.int64], Spans]:
    """Numbers of the true steps, and where they are seen: in order of start, with some steps left out."""
    kind, steps, spans = rng.random(), np.arange(len(video.spans)), video.spans
    if kind < augmentation.proposed + augmentation.moved:
        labels = np.full(len(steps), -1)
        if kind < augmentation.proposed and proposals is not None:
            labels = oracle_labels(video.spans, proposals.spans, "story")
        if proposals is not None and (labels >= 0).any():
            steps, spans = steps[labels >= 0], np.asarray(proposals.spans, dtype=np.float64)[labels[labels >= 0]]
        else:
            spans = moved_spans(video.spans, video.duration, augmentation.move, rng)
    kept = rng.random(len(steps)) >= augmentation.skipped
    if kept.sum() >= 2:
        steps, spans = steps[kept], spans[kept]
    order = np.lexsort((spans[:, 1], spans[:, 0]))
    return steps[order], spans[order]


class Sampler:
    """Draws the events, sentences and ingredients of one video of one epoch."""

    def __init__(
        self, reader: TranscriptReader, vocabulary: Vocabulary, augmentation: Augmentation, max_words: int
    ) -> None:
        self.reader, self.vocabulary, self.augmentation, self.max_words = (reader, vocabulary, augmentation, max_words)

    def spelled(self, sentence: str) -> tuple[int, ...]:
        """BOS, word ids, EOS; a word beyond the vocabulary that is read has an id behind the vocabulary's."""
        size, read = len(self.vocabulary), self.reader.space.number
        ids = [
            self.vocabulary.number.get(token, size + read[token] if token in read else UNK)
            for token in ptb_tokens(sentence)
        ]
        return (BOS, *ids[: self.max_words], EOS)

    def draw(self, example: SpeechExample, rng: np.random.Generator) -> tuple[StoryInput, StoryTruth]:
        """One version of a video."""
        video, augmentation = example.truth, self.augmentation
        steps, spans = drawn_events(video, example.proposals, augmentation, rng)
        names: list[str] | None = None
        if rng.random() >= augmentation.without_ingredients:
            names = [name for name in video.ingredients if rng.random() >= augmentation.forgotten]
            if rng.random() < augmentation.shuffled:
                names = [names[i] for i in rng.permutation(len(names))]
        given = self.reader.input(example.heard, spans, names)
        words = tuple(self.spelled(video.sentences[t]) for t in steps)
        none: tuple[tuple[Any, ...], ...] = ((),) * len(words)
        times = np.clip(video.spans / example.heard.duration, 0.0, 1.0)
        return given, StoryTruth(np.arange(len(words)), words, none, none, none, none, times)


class SpeechTask(StoryTask):
    """Learns from a fresh version of every video in every epoch."""

    def __init__(
        self,
        config: StoryConfig,
        training: TrainingConfig,
        vocabulary: Vocabulary,
        narrated: Sequence[SpeechExample],
        development: Sequence[tuple[AnnotatedVideo, StoryInput]],
        sampler: Sampler,
        reward: RewardConfig,
    ) -> None:
        super().__init__(config, training, vocabulary, (), development)
        self.narrated, self.sampler = narrated, sampler
        self.reward_config = reward
        # A short training has to learn to write first.
        self.rewarded_from = training.epochs - min(reward.epochs, training.epochs // 2)
        if reward.epochs:
            self.weights = {**self.weights, REWARD: reward.weight}
            self.reward = SentenceReward(
                [sampler.spelled(text)[1:-1] for example in narrated for text in example.truth.sentences]
            )
        copying = self.model.copying
        assert copying is not None
        copying.set_copies([vocabulary.number.get(word, -1) for word in config.read_words])

    def batches(self, epoch: int) -> Sequence[Sequence[int]]:
        """Videos in this epoch's order, those with about as many steps together, which saves padding."""
        rng = generator("speech order", self.seed, epoch)
        rough = np.array([len(example.truth.spans) for example in self.narrated]) + rng.normal(
            0, 1.5, len(self.narrated)
        )
        order = np.argsort(rough, kind="stable").tolist()
        batches = [order[i : i + self.batch_size] for i in range(0, len(order), self.batch_size)]
        return [batches[i] for i in rng.permutation(len(batches))]

    def losses(self, items: Sequence[int], epoch: int) -> Mapping[str, Term]:
        """The losses of these videos as they are in this epoch."""
        drawn = [
            self.sampler.draw(self.narrated[i], generator("speech", self.seed, epoch, self.narrated[i].truth.id))
            for i in items
        ]
        inputs = batch_inputs([given for given, _ in drawn], self.device)
        targets = batch_targets([truth for _, truth in drawn], 0, self.config.model.actions, self.device)
        if epoch < self.rewarded_from:
            terms = self.criterion(self.model(inputs, targets))
            return {name: Term(total, divisor) for name, (total, divisor) in terms.items()}
        choices = self.reward_config
        trials = PolicyGradientLoss(self.model, self.reward, choices.trials, self.sampler.max_words, choices.share)
        terms = self.criterion(self.model(inputs, targets, trials))
        found = {name: Term(choices.truth * total, divisor) for name, (total, divisor) in terms.items()}
        return found | {REWARD: Term(*trials.term())}
