"""Sentences of one event for several films at once: beam search over a shared, cached story."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import torch
from pydantic import Field
from torch import Tensor

from cookscribe.config import Config
from cookscribe.writer.llama import Cache, Llama


class GenerationConfig(Config):
    """How sentences are searched.

    Attributes:
        beam: sentences that are followed at once.
        most_tokens: of a sentence.
        no_repeat_ngram: no run of this many tokens twice in the sentences of a film; 0 allows all.
        length_power: sentences are ranked by log-probability / length ** length_power.
    """

    beam: int = Field(default=8, ge=1, le=64)
    most_tokens: int = Field(default=40, ge=2, le=400)
    no_repeat_ngram: int = Field(default=5, ge=0, le=20)
    length_power: float = Field(default=1.0, ge=0, le=3)


@dataclass(frozen=True)
class Hypothesis:
    """A finished sentence: its tokens without the end, and its log-probability with the end."""

    tokens: tuple[int, ...]
    log_probability: float

    @property
    def mean(self) -> float:
        """Mean log-probability of a token."""
        return self.log_probability / (len(self.tokens) + 1)


@dataclass
class Runs:
    """The runs of tokens that a film's sentences have had."""

    length: int
    seen: dict[tuple[int, ...], set[int]] = field(default_factory=dict)

    def add(self, tokens: Sequence[int]) -> None:
        """Remember the runs of a finished sentence."""
        for end in range(self.length - 1, len(tokens)):
            self.seen.setdefault(tuple(tokens[end - self.length + 1 : end]), set()).add(tokens[end])

    def forbidden(self, tokens: Sequence[int]) -> set[int]:
        """Tokens that would complete a run again, in the film or within the sentence itself."""
        if self.length < 1 or len(tokens) < self.length - 1:
            return set()
        tail = tuple(tokens[len(tokens) - self.length + 1 :])
        found = set(self.seen.get(tail, ()))
        for end in range(self.length - 1, len(tokens)):
            if tuple(tokens[end - self.length + 1 : end]) == tail:
                found.add(tokens[end])
        return found


@torch.no_grad()
def beam_search(
    model: Llama, trunk: Cache, last: Tensor, runs: Sequence[Runs], end: int, config: GenerationConfig
) -> list[list[Hypothesis]]:
    """The best sentences of each of B films, best first.

    Args:
        trunk: what was read of each film up to where its sentence begins.
        last: (B, width) hidden state of the last token read.
        end: the token that ends a sentence.
    """
    beam = config.beam
    ranked: list[list[Hypothesis]] = [[] for _ in last]
    first = model.logits(last).log_softmax(dim=-1)
    first[:, end] = -math.inf
    scores, tokens = first.topk(beam, dim=-1)
    written = [[[int(token)] for token in row] for row in tokens.tolist()]
    going = list(range(len(last)))  # films in the rows of scores and written
    running = set(going)  # of these, the ones whose search is not at its end
    own = Cache()
    for _ in range(config.most_tokens):
        flat = torch.tensor([one[-1] for row in written for one in row], device=model.device)
        logits = model.logits(model.branch(flat, trunk, own)).log_softmax(dim=-1)
        for number, (film, one) in enumerate(
            (film, one) for film, row in zip(going, written, strict=True) for one in row
        ):
            banned = [token for token in runs[film].forbidden(one) if token != end]
            if banned:
                logits[number, banned] = -math.inf
        total = (scores.reshape(-1, 1) + logits).view(len(going), beam, -1)
        best, places = total.flatten(1).topk(2 * beam, dim=-1)
        width = total.shape[-1]
        chosen: list[list[tuple[float, int, int]]] = []
        for place, film in enumerate(going):
            kept: list[tuple[float, int, int]] = []
            for score, cell in zip(best[place].tolist(), places[place].tolist(), strict=True):
                parent, token = divmod(cell, width)
                if token != end and len(kept) < beam:
                    kept.append((score, parent, token))
                elif token == end and film in running:
                    ranked[film].append(Hypothesis(tuple(written[place][parent]), score))
            chosen.append(kept)
            if _finished(ranked[film], kept, config):
                running.discard(film)
        if not running:
            break
        # What is found is left behind, once it is half of the work: taking the others out costs something, too.
        stay = [n for n, film in enumerate(going) if film in running or 2 * len(running) > len(going)]
        parents = [n * beam + parent for n in stay for _, parent, _ in chosen[n]]
        written = [[[*written[n][parent], token] for _, parent, token in chosen[n]] for n in stay]
        scores = torch.tensor([[score for score, _, _ in chosen[n]] for n in stay], device=model.device)
        own = own.rows(torch.tensor(parents, device=model.device))
        if len(stay) < len(going):
            trunk = trunk.rows(torch.tensor(stay, device=model.device))
            going = [going[n] for n in stay]
    for place, film in enumerate(going):
        if not ranked[film]:  # it ran on to the limit
            ranked[film].append(Hypothesis(tuple(written[place][0]), float(scores[place, 0])))
    for found in ranked:
        found.sort(key=lambda one: -one.log_probability / (len(one.tokens) + 1) ** config.length_power)
    return ranked


def _finished(found: Sequence[Hypothesis], running: Sequence[tuple[float, int, int]], config: GenerationConfig) -> bool:
    """Whether no running sentence can come before the best finished ones any more, roughly: a full beam is finished."""
    if len(found) < config.beam:
        return False
    worst = sorted((one.log_probability for one in found), reverse=True)[config.beam - 1]
    return running[0][0] <= worst
