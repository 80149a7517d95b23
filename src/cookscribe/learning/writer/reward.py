"""The second stage of the writer: it tries sentences, and those that score better become likelier.

As for the recipe model (`narrated.reward`): a few sentences are drawn for some of the events, the story before them
being the true one, and

    L = - Σ_s (r_s - mean of r over the other sentences of the event) Σ_tokens log p(token)

with CIDEr-D as the reward r; the end of a sentence counts as a word, or sentences would break off. All drawn sentences
of a film are weighed in one pass: they stand behind its story, and a mask lets each see the story up to its event, and
itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from cookscribe.learning.narrated.reward import SentenceReward
from cookscribe.text.tokens import ptb_tokens
from cookscribe.writer.evidence import FilmEvidence
from cookscribe.writer.llama import Cache, Llama
from cookscribe.writer.texts import END, Encoder, padded

LIKELIEST = 20  # tokens that are drawn among
LONGEST = 24  # tokens of a drawn sentence


def rewarded_words(text: str) -> list[str]:
    """The words of a sentence, and its end if it came to it."""
    return ptb_tokens(text) + [END] * text.endswith(END)


@dataclass(frozen=True)
class Trial:
    """A sentence that was drawn: behind which token of the story, its tokens with the end, its reward above others."""

    place: int
    tokens: tuple[int, ...]
    advantage: float


def event_places(encoder: Encoder, film: FilmEvidence, sentences: Sequence[str]) -> list[int]:
    """Of every event, the position in the story's tokens of the last one before its sentence."""
    length, places = len(encoder.beginning(film)), []
    for number, sentence in enumerate(sentences):
        length += len(encoder.event(film, number))
        places.append(length - 1)
        length += len(encoder.sentence(sentence))
    return places


@torch.no_grad()
def draw_sentences(model: Llama, trunk: Cache, last: Tensor, count: int, end: int) -> list[list[tuple[int, ...]]]:
    """`count` sentences for each of B trunks, drawn among the likeliest tokens; each with its end, if it came to it.

    Args:
        trunk: what was read up to where the sentence begins; last: (B, width) state of the last token read.
    """
    logits = model.logits(last)
    logits[:, end] = -torch.inf
    drawn = _draw(logits.repeat_interleave(count, dim=0))
    written = [[int(token)] for token in drawn]
    own = Cache()
    going = [True] * len(written)
    for _ in range(LONGEST - 1):
        drawn = _draw(model.logits(model.branch(drawn, trunk, own)))
        for row, token in enumerate(drawn.tolist()):
            if going[row]:
                written[row].append(token)
                going[row] = token != end
        if not any(going):
            break
    return [[tuple(one) for one in written[first : first + count]] for first in range(0, len(written), count)]


def _draw(logits: Tensor) -> Tensor:
    """(rows,) one token of each row of logits, among the likeliest."""
    best, places = logits.topk(min(LIKELIEST, logits.shape[1]), dim=1)
    return places.gather(1, torch.multinomial(best.softmax(dim=1), 1))[:, 0]


@dataclass(frozen=True)
class Tried:
    """A film of which some `events` are tried, the story before each of them being the true one."""

    film: FilmEvidence
    sentences: Sequence[str]
    events: Sequence[int]


@torch.no_grad()
def try_sentences(
    model: Llama, encoder: Encoder, films: Sequence[Tried], reward: SentenceReward, count: int
) -> list[list[Trial]]:
    """Draw sentences for the events of some films, all at once."""
    stories = [encoder.story(one.film, one.sentences)[0] for one in films]
    tokens, mask = padded(stories)
    cache = Cache()
    hidden = model.read(tokens.to(model.device), mask.to(model.device), cache)
    events = [(number, event) for number, one in enumerate(films) for event in one.events]
    found = [event_places(encoder, one.film, one.sentences) for one in films]
    rows = torch.tensor([number for number, _ in events], device=model.device)
    places = torch.tensor([found[number][event] for number, event in events], device=model.device)
    trunk = cache.rows(rows)
    # Each event sees its film's story up to its place.
    trunk.valid = torch.arange(tokens.shape[1], device=model.device) <= places.unsqueeze(1)
    trials: list[list[Trial]] = [[] for _ in films]
    drawn = draw_sentences(model, trunk, hidden[rows, places], count, encoder.end)
    for (number, event), place, tries in zip(events, places.tolist(), drawn, strict=True):
        said = [rewarded_words(encoder.tokenizer.decode(list(one))) for one in tries]
        rewards = reward.of(said, rewarded_words(films[number].sentences[event] + END))
        mean = sum(rewards) / count
        for one, value in zip(tries, rewards, strict=True):
            # The mean of the others is the baseline.
            trials[number].append(Trial(place, one, (value - mean) * count / (count - 1)))
    return trials


def weigh(model: Llama, tokens: Sequence[int], trials: Sequence[Trial]) -> tuple[Tensor, Tensor]:
    """(T, width) states of a story, and (N,) log-probabilities of N drawn sentences, in one pass."""
    story = len(tokens)
    everything, positions, owner = list(tokens), list(range(story)), [-1] * story
    for number, trial in enumerate(trials):
        # The last token of a sentence predicts nothing.
        everything += trial.tokens[:-1]
        positions += range(trial.place + 1, trial.place + len(trial.tokens))
        owner += [number] * (len(trial.tokens) - 1)
    device = model.device
    place, whose = torch.tensor(positions, device=device), torch.tensor(owner, device=device)
    ends = torch.tensor([story, *(trial.place + 1 for trial in trials)], device=device)[whose + 1]
    # A token sees the story up to where its sentence begins, and its own sentence up to itself.
    of_story = (whose == -1) & (place < ends.unsqueeze(1))
    mask = (of_story | (whose == whose.unsqueeze(1))) & (place <= place.unsqueeze(1))
    hidden = model.run(
        torch.tensor([everything], device=device), place.unsqueeze(0), None, mask.unsqueeze(0).unsqueeze(0)
    )[0]
    rows: list[int] = []
    targets: list[int] = []
    of: list[int] = []
    start = story
    for number, trial in enumerate(trials):
        rows += [trial.place, *range(start, start + len(trial.tokens) - 1)]
        targets += trial.tokens
        of += [number] * len(trial.tokens)
        start += len(trial.tokens) - 1
    chances = model.logits(hidden[rows]).log_softmax(dim=-1)
    chosen = chances.gather(1, torch.tensor(targets, device=device).unsqueeze(1))[:, 0]
    totals = torch.zeros(len(trials), device=device).index_add(0, torch.tensor(of, device=device), chosen)
    return hidden[:story], totals
