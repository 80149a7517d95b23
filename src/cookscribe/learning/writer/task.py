"""The language-model writer as a task of the shared training loop: adapters learn the sentences of whole stories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from cookscribe.learning.loop import Term
from cookscribe.learning.narrated.reward import SentenceReward
from cookscribe.learning.narrated.task import RewardConfig
from cookscribe.learning.writer.examples import ExampleSampler, WriterExample
from cookscribe.learning.writer.reward import rewarded_words, try_sentences, weigh
from cookscribe.seeds import generator
from cookscribe.text.vocabulary import Vocabulary
from cookscribe.writer.evidence import FilmEvidence
from cookscribe.writer.language_writer import KIND, WriterConfig
from cookscribe.writer.llama import Llama
from cookscribe.writer.texts import END, Encoder, padded

NATS, REWARD = "nats", "reward"


class WriterTask:
    """Learns from a fresh version of every video in every epoch; the weights with the least loss are kept."""

    kind = KIND
    score = "likelihood"
    vocabulary: Vocabulary | None = None
    weights: Mapping[str, float] = {NATS: 1.0}

    def __init__(
        self,
        config: WriterConfig,
        model: Llama,
        encoder: Encoder,
        sampler: ExampleSampler,
        examples: Sequence[WriterExample],
        development: Sequence[WriterExample],
        *,
        narrated: float,
        silent: float,
        most_tokens: int,
        seed: int,
        reward: RewardConfig | None = None,
    ) -> None:
        """Put together.

        Args:
            narrated, silent: shares of the examples that an epoch tells with what is heard, and silently.
            most_tokens: of a batch, padding included.
            reward: how drawn sentences are learnt from; None learns from the true ones alone.
        """
        self.config, self.model, self.encoder, self.sampler = config, model, encoder, sampler
        self.examples, self.development = examples, development
        self.reward_config = reward
        self.weights: Mapping[str, float] = {NATS: 1.0}
        if reward is not None:
            self.weights = {NATS: reward.truth, REWARD: reward.weight}
            texts = [text for example in examples for text in example.truth.sentences]
            self.reward = SentenceReward([rewarded_words(text + END) for text in texts])
        self.narrated, self.silent, self.most_tokens, self.seed = narrated, silent, most_tokens, seed

    def _version(self, item: int, epoch: int) -> tuple[FilmEvidence, tuple[str, ...]]:
        """A video of this epoch; numbers from `len(examples)` on are the same videos, told silently."""
        number, silent = item % len(self.examples), item >= len(self.examples)
        example = self.examples[number]
        rng = generator("writer", self.seed, epoch, item, example.truth.id)
        return self.sampler.draw(example, rng, silent=silent)

    def _drawn(self, item: int, epoch: int) -> tuple[list[int], list[bool]]:
        """Tokens of a video of this epoch."""
        return self.encoder.story(*self._version(item, epoch))

    def batches(self, epoch: int) -> Sequence[Sequence[int]]:
        """Videos of about the same length together, as many as fit; in an order of this epoch's."""
        rng = generator("writer order", self.seed, epoch)
        chosen = rng.random((2, len(self.examples))) < [[self.narrated], [self.silent]]
        items = [n for n, example in enumerate(self.examples) if len(example.words) and chosen[0, n]]
        items += (np.flatnonzero(chosen[1]) + len(self.examples)).tolist()
        sizes = {item: self._size(*self._drawn(item, epoch)) for item in items}
        items.sort(key=lambda item: sizes[item] + float(rng.normal(0, 20)))
        batches: list[list[int]] = [[]]
        # Two by two: processes that share a batch wait for each other.
        for pair in (items[start : start + 2] for start in range(0, len(items), 2)):
            longest = max(sizes[item] for item in [*pair, *batches[-1]])
            if batches[-1] and longest * (len(batches[-1]) + len(pair)) > self.most_tokens:
                batches.append([])
            batches[-1] += pair
        return [batches[n] for n in rng.permutation(len(batches))]

    def _size(self, tokens: Sequence[int], written: Sequence[bool]) -> int:
        """Tokens of a video in a batch: its story, and about those of the sentences that are tried."""
        if self.reward_config is None:
            return len(tokens)
        return len(tokens) + round(self.reward_config.trials * self.reward_config.share * sum(written))

    def losses(self, items: Sequence[int], epoch: int) -> Mapping[str, Term]:
        """Negative log-likelihood of the sentences, in nats a token; and the loss of drawn ones, where they are."""
        if self.reward_config is not None:
            return self._rewarded(items, epoch, self.reward_config)
        total, count = self._nats([self._drawn(item, epoch) for item in items])
        return {NATS: Term(total, count)}

    def _rewarded(self, items: Sequence[int], epoch: int, config: RewardConfig) -> Mapping[str, Term]:
        """The losses of true and of drawn sentences, film by film."""
        nats, tried = torch.zeros((), device=self.model.device), torch.zeros((), device=self.model.device)
        tokens_told, sentences_tried = 0, 0
        for item in items:
            film, sentences = self._version(item, epoch)
            rng = generator("writer trials", self.seed, epoch, item)
            events = np.flatnonzero(rng.random(len(sentences)) < config.share).tolist() or [0]
            trials = try_sentences(self.model, self.encoder, film, sentences, events, self.reward, config.trials)
            tokens, written = self.encoder.story(film, sentences)
            hidden, totals = weigh(self.model, tokens, trials)
            advantages = torch.tensor([trial.advantage for trial in trials], device=totals.device)
            tried = tried - (advantages * totals).sum()
            goal = torch.tensor(written[1:], device=totals.device)
            wanted = torch.tensor(tokens[1:], device=totals.device)[goal]
            nats = nats + functional.cross_entropy(self.model.logits(hidden[:-1][goal]), wanted, reduction="sum")
            tokens_told, sentences_tried = tokens_told + int(goal.sum()), sentences_tried + len(trials)
        return {NATS: Term(nats, tokens_told), REWARD: Term(tried, sentences_tried)}

    def _nats(self, stories: Sequence[tuple[list[int], list[bool]]]) -> tuple[Tensor, int]:
        tokens, _ = padded([numbers for numbers, _ in stories])
        written = padded([marks for _, marks in stories])[0].bool()
        tokens, written = tokens.to(self.model.device), written.to(self.model.device)
        hidden = self.model(tokens[:, :-1])
        goal = written[:, 1:]
        # Only where a word is to be written the whole vocabulary is weighed.
        logits = self.model.logits(hidden[goal])
        return functional.cross_entropy(logits, tokens[:, 1:][goal], reduction="sum"), int(goal.sum())

    def evaluate(self) -> Mapping[str, float]:
        """Mean log-likelihood of a token of the development videos: heard, and told silently."""
        found = {}
        for name, silent in (("heard", False), ("silent", True)):
            total, count = 0.0, 0
            for example in self.development:
                if len(example.words) or silent:
                    rng = generator("writer development", name, example.truth.id)
                    nats, tokens = self._nats([self.encoder.story(*self.sampler.draw(example, rng, silent=silent))])
                    total, count = total + float(nats), count + tokens
            found[name] = -total / max(count, 1)
        return {self.score: found["heard"] + found["silent"], **found}
