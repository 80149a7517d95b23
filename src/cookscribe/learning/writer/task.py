"""The language-model writer as a task of the shared training loop: adapters learn the sentences of whole stories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from cookscribe.learning.loop import Term
from cookscribe.learning.writer.examples import ExampleSampler, WriterExample
from cookscribe.seeds import generator
from cookscribe.text.vocabulary import Vocabulary
from cookscribe.writer.language_writer import KIND, WriterConfig
from cookscribe.writer.llama import Llama
from cookscribe.writer.texts import Encoder

NATS = "nats"


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
    ) -> None:
        """Put together.

        Args:
            narrated, silent: shares of the examples that an epoch tells with what is heard, and silently.
            most_tokens: of a batch, padding included.
        """
        self.config, self.model, self.encoder, self.sampler = config, model, encoder, sampler
        self.examples, self.development = examples, development
        self.narrated, self.silent, self.most_tokens, self.seed = narrated, silent, most_tokens, seed

    def _drawn(self, item: int, epoch: int) -> tuple[list[int], list[bool]]:
        """Tokens of a video; numbers from `len(examples)` on are the same videos, told silently."""
        number, silent = item % len(self.examples), item >= len(self.examples)
        example = self.examples[number]
        rng = generator("writer", self.seed, epoch, item, example.truth.id)
        return self.encoder.story(*self.sampler.draw(example, rng, silent=silent))

    def batches(self, epoch: int) -> Sequence[Sequence[int]]:
        """Videos of about the same length together, as many as fit; in an order of this epoch's."""
        rng = generator("writer order", self.seed, epoch)
        chosen = rng.random((2, len(self.examples))) < [[self.narrated], [self.silent]]
        items = [n for n, example in enumerate(self.examples) if len(example.words) and chosen[0, n]]
        items += (np.flatnonzero(chosen[1]) + len(self.examples)).tolist()
        sizes = {item: len(self._drawn(item, epoch)[0]) for item in items}
        items.sort(key=lambda item: sizes[item] + float(rng.normal(0, 20)))
        batches: list[list[int]] = [[]]
        for item in items:
            longest = max([sizes[item], *(sizes[other] for other in batches[-1])])
            if batches[-1] and longest * (len(batches[-1]) + 1) > self.most_tokens:
                batches.append([])
            batches[-1].append(item)
        return [batches[n] for n in rng.permutation(len(batches))]

    def losses(self, items: Sequence[int], epoch: int) -> Mapping[str, Term]:
        """Negative log-likelihood of the sentences, in nats a token."""
        total, count = self._nats([self._drawn(item, epoch) for item in items])
        return {NATS: Term(total, count)}

    def _nats(self, stories: Sequence[tuple[list[int], list[bool]]]) -> tuple[Tensor, int]:
        longest = max(len(tokens) for tokens, _ in stories)
        tokens = torch.zeros(len(stories), longest, dtype=torch.long)
        written = torch.zeros(len(stories), longest, dtype=torch.bool)
        for row, (numbers, marks) in enumerate(stories):
            tokens[row, : len(numbers)] = torch.tensor(numbers)
            written[row, : len(marks)] = torch.tensor(marks)
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
