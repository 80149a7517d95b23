"""The last epochs of the writer: it tries sentences, and is told how good they are.

Cross-entropy asks for every word of the true sentence; a reader, and CIDEr-D, ask whether the sentence says the things
that tell this step from others. So the writer draws a few sentences for every step and makes those more likely that
score better than the others of the same step (policy gradient; the mean of the others is the baseline):

    L = - Σ_s (r_s - mean of r over the other sentences of the step) Σ_words log p(word)

The rewards r are CIDEr-D against the true sentence, with the document frequencies of the training sentences. The
sentences before stay the true ones, as in the training before.
"""

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import replace

import torch
from torch import Tensor

from cookscribe.evaluation.captions import CIDER_SCALE, CIDER_SIGMA
from cookscribe.model.batch import take
from cookscribe.model.beyond.cached_writer import SentenceWriter
from cookscribe.model.config import BOS, EOS, PAD, UNK
from cookscribe.model.generator import OpenSentence
from cookscribe.model.losses import copied_nll
from cookscribe.model.recipe_model import RecipeModel, joined_context

ORDERS = 4
# Words are drawn among this many of the likeliest: label smoothing gives all others some probability, too.
LIKELIEST = 8
SMALLEST = 1e-9

Gram = tuple[Hashable, ...]


class SentenceReward:
    """CIDEr-D of one sentence against another; sentences are words or their ids, without BOS and EOS."""

    def __init__(self, sentences: Sequence[Sequence[Hashable]]) -> None:
        """Count in how many of the `sentences` each run of words stands."""
        found = Counter(gram for sentence in sentences for gram in set(_grams(sentence)))
        self._documents = math.log(max(len(sentences), 1))
        self._frequency = {gram: math.log(count) for gram, count in found.items()}

    def _weights(self, sentence: Sequence[Hashable]) -> tuple[dict[Gram, float], list[float]]:
        weights = {
            gram: count * (self._documents - self._frequency.get(gram, 0.0))
            for gram, count in Counter(_grams(sentence)).items()
        }
        squares = [0.0] * ORDERS
        for gram, weight in weights.items():
            squares[len(gram) - 1] += weight * weight
        return weights, [math.sqrt(square) for square in squares]

    def of(self, said: Sequence[Sequence[Hashable]], wanted: Sequence[Hashable]) -> list[float]:
        """The score of each sentence that was `said` where `wanted` was true."""
        goal, goal_length = self._weights(wanted)
        scores = []
        for sentence in said:
            own, own_length = self._weights(sentence)
            shared = [0.0] * ORDERS
            for gram, weight in own.items():
                if gram in goal:
                    shared[len(gram) - 1] += min(weight, goal[gram]) * goal[gram]
            similar = [
                s / (a * b) if a * b > 0 else 0.0 for s, a, b in zip(shared, own_length, goal_length, strict=True)
            ]
            penalty = math.exp(-((len(sentence) - len(wanted)) ** 2) / (2 * CIDER_SIGMA**2))
            scores.append(CIDER_SCALE * penalty * sum(similar) / ORDERS)
        return scores


def _grams(sentence: Sequence[Hashable]) -> list[Gram]:
    return [tuple(sentence[i : i + n]) for n in range(1, ORDERS + 1) for i in range(len(sentence) - n + 1)]


@torch.no_grad()
def draw_sentences(model: RecipeModel, sentence: OpenSentence, count: int, max_words: int) -> Tensor:
    """(B · count, L) sentences drawn for B open ones: BOS, words, EOS, then padding.

    Each word comes from the vocabulary with the probability of the gate, otherwise it is copied. The sentences
    of a video are rows that look at the same words to copy, like the words of one sentence.
    """
    videos, width = sentence.event.shape
    rows = videos * count
    writer = SentenceWriter(model.generator, _repeated(sentence, count), max_words + 1)
    tokens = torch.full((rows, 1), BOS, device=sentence.event.device)
    finished = torch.zeros(rows, dtype=torch.bool, device=tokens.device)
    for position in range(max_words):
        row = writer.next(model.embedding_ids(tokens[:, -1:])[:, 0]).view(videos, count, width)
        copying = model.copy_attention(row, sentence)
        assert copying is not None
        logits = model.output(joined_context(row, None, copying)).flatten(0, 1)
        logits[:, (PAD, BOS, UNK)] = float("-inf")
        if position == 0:
            logits[:, EOS] = float("-inf")
        places = _draw(copying.attention.flatten(0, 1)).view(videos, count)
        own = torch.rand(videos, count, device=tokens.device) < copying.gate
        drawn = torch.where(own.flatten(), _draw(logits.softmax(dim=1)), copying.words.gather(1, places).flatten())
        drawn = drawn.masked_fill(finished, PAD)
        tokens = torch.cat((tokens, drawn.unsqueeze(1)), dim=1)
        finished = finished | (drawn == EOS)
        if bool(finished.all()):
            return tokens
        writer.leave(finished)
    last = torch.full((rows, 1), EOS, device=tokens.device).masked_fill(finished.unsqueeze(1), PAD)
    return torch.cat((tokens, last), dim=1)


def _repeated(sentence: OpenSentence, count: int) -> OpenSentence:
    """Every open sentence `count` times, one after another; the words to copy are left out."""
    rows = torch.arange(len(sentence.event), device=sentence.event.device).repeat_interleave(count)
    return take(replace(sentence, source=None), rows)


def _draw(probabilities: Tensor) -> Tensor:
    """(B,) one of the likeliest places of each row of (B, K); where there is nothing to copy, any."""
    best, places = probabilities.topk(min(LIKELIEST, probabilities.shape[1]), dim=1)
    return places.gather(1, torch.multinomial(best + SMALLEST, 1)).squeeze(1)


class PolicyGradientLoss:
    """Draws `count` sentences in a `share` of the steps of a training pass and collects their loss."""

    def __init__(
        self, model: RecipeModel, reward: SentenceReward, count: int, max_words: int, share: float = 1.0
    ) -> None:
        self.model, self.reward, self.count, self.max_words, self.share = model, reward, count, max_words, share
        self.parts: list[Tensor] = []
        self.words = 0
        self.rewards: list[float] = []

    def __call__(self, sentence: OpenSentence, wanted: Tensor) -> None:
        """One step: the open sentences of B videos, and the true ones, (B, L)."""
        if self.parts and float(torch.rand(())) >= self.share:
            return
        drawn = draw_sentences(self.model, sentence, self.count, self.max_words)
        given, following = drawn[:, :-1], drawn[:, 1:]
        real = (given != PAD) & (given != EOS)
        lines = drawn.view(len(wanted), self.count, -1).tolist()
        scores = torch.tensor(
            [
                self.reward.of([_words(line) for line in said], _words(true))
                for said, true in zip(lines, wanted.tolist(), strict=True)
            ],
            device=drawn.device,
        )
        self.rewards += scores.flatten().tolist()
        others = (scores.sum(dim=1, keepdim=True) - scores) / (self.count - 1)
        better = (scores - others).view(-1, 1).expand_as(real)[real]
        hidden, _ = self.model.generator.extend(_repeated(sentence, self.count), self.model.embedding_ids(given))
        side_by_side = (len(wanted), -1)
        together = hidden.view(*side_by_side, hidden.shape[-1])
        copying = self.model.copy_attention(together, sentence)
        assert copying is not None
        real_together = real.view(side_by_side)
        copied = torch.stack((copying.gate, copying.mass(following.reshape(side_by_side))), dim=-1)[real_together]
        logits = self.model.output(joined_context(together, None, copying)[real_together])
        self.parts.append((better * copied_nll(logits, following[real], copied, 0.0)).sum())
        self.words += int(real.sum())

    def term(self) -> tuple[Tensor, float]:
        """Sum of the losses of all words that were tried, and their number."""
        return torch.stack(self.parts).sum(), float(self.words)


def _words(line: Sequence[int]) -> list[int]:
    """The words of BOS, words, EOS, padding."""
    return [word for word in line if word not in (PAD, BOS, EOS)]
