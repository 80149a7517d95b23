"""The second stage of the writer: it tries sentences, and those that score better become likelier.

As for the recipe model (`narrated.reward`): a few sentences are drawn for some of the events, the story before them
being the true one, and

    L = - Σ_s (r_s - mean of r over the other sentences of the event) Σ_tokens log p(token)

with CIDEr-D and, as in METEOR, the share of the true words that are said as the reward r; the end of a sentence counts
as a word, or sentences would break off. All drawn sentences of a film are weighed in one pass: they stand behind its
story, and a mask lets each see the story up to its event, and itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from cookscribe.learning.narrated.reward import SentenceReward
from cookscribe.text.tokens import ptb_tokens
from cookscribe.writer.evidence import FilmEvidence
from cookscribe.writer.llama import Cache, Llama
from cookscribe.writer.texts import END, Encoder

LIKELIEST = 20  # tokens that are drawn among
LONGEST = 24  # tokens of a drawn sentence
RECALL = 0.85  # share of recall in the mean of shared words, as in METEOR
WORDS = 2.0  # weight of that mean, 0 to 1, beside CIDEr-D, 0 to 10


def rewarded_words(text: str) -> list[str]:
    """The words of a sentence, and its end if it came to it."""
    return ptb_tokens(text) + [END] * text.endswith(END)


def shared_words(said: Sequence[str], wanted: Sequence[str]) -> float:
    """Weighted harmonic mean of precision and recall of words, 0 to 1."""
    shared = (Counter(said) & Counter(wanted)).total()
    return shared / (RECALL * len(wanted) + (1 - RECALL) * len(said)) if shared else 0.0


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
def draw_sentences(
    model: Llama, story: Cache, hidden: Tensor, places: Sequence[int], count: int, end: int
) -> list[list[tuple[int, ...]]]:
    """`count` sentences behind each of the `places` of one story, drawn among the likeliest tokens; each with its end,
    if it came to it.

    Args:
        story: what was read; hidden: (T, width) its states.
    """
    where = torch.tensor(places, device=model.device).repeat_interleave(count)
    seen = torch.arange(len(hidden), device=model.device) <= where.unsqueeze(1)
    logits = model.logits(hidden[where])
    logits[:, end] = -torch.inf
    drawn = _draw(logits)
    written = [[token] for token in drawn.tolist()]
    own, going = Cache(), torch.arange(len(written))
    for _ in range(LONGEST - 1):
        drawn = _draw(model.logits(model.branch(drawn, story, own, seen)))
        for row, token in zip(going.tolist(), drawn.tolist(), strict=True):
            written[row].append(token)
        if bool((kept := drawn != end).all()):
            continue
        if not bool(kept.any()):
            break
        # Sentences that came to their end are not followed any more.
        own, seen, drawn, going = own.rows(kept), seen[kept], drawn[kept], going[kept.cpu()]
    return [[tuple(one) for one in written[first : first + count]] for first in range(0, len(written), count)]


def _draw(logits: Tensor) -> Tensor:
    """(rows,) one token of each row of logits, among the likeliest."""
    best, places = logits.topk(min(LIKELIEST, logits.shape[1]), dim=1)
    return places.gather(1, torch.multinomial(best.softmax(dim=1), 1))[:, 0]


@torch.no_grad()
def try_sentences(
    model: Llama,
    encoder: Encoder,
    film: FilmEvidence,
    sentences: Sequence[str],
    events: Sequence[int],
    reward: SentenceReward,
    count: int,
) -> list[Trial]:
    """Draw sentences for some `events` of a film whose story before each of them is the true one."""
    tokens = torch.tensor([encoder.story(film, sentences)[0]], device=model.device)
    cache = Cache()
    hidden = model.read(tokens, torch.ones_like(tokens, dtype=torch.bool), cache)[0]
    all_places = event_places(encoder, film, sentences)
    places = [all_places[event] for event in events]
    trials = []
    drawn = draw_sentences(model, cache, hidden, places, count, encoder.end)
    for event, place, tries in zip(events, places, drawn, strict=True):
        said = [rewarded_words(encoder.tokenizer.decode(list(one))) for one in tries]
        wanted = rewarded_words(sentences[event] + END)
        told = zip(reward.of(said, wanted), said, strict=True)
        rewards = [cider + WORDS * shared_words(words, wanted) for cider, words in told]
        mean = sum(rewards) / count
        for one, value in zip(tries, rewards, strict=True):
            # The mean of the others is the baseline.
            trials.append(Trial(place, one, (value - mean) * count / (count - 1)))
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
