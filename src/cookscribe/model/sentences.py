"""Writing the sentences of one step, word by word, greedy or with a beam; earlier words are never computed again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from cookscribe.model.beyond.ensemble import Speaker, mean_log_probabilities
from cookscribe.model.config import BOS, EOS, PAD, UNK
from cookscribe.model.generator import Told
from cookscribe.model.writing import SentenceWriter


@dataclass(frozen=True)
class Written:
    """Finished sentences of B videos.

    Attributes:
        words: per video, the ids of its words, without BOS and EOS.
        scores: (B,) mean log-probability of a word, EOS included.
        told: per speaker, to be closed by its model.
        real: (B, length) True for BOS and the words, False behind the end of the sentence.
        hidden: (B, length, d) output vectors of the first speaker, position k predicts word k.
    """

    words: list[list[int]]
    scores: Tensor
    told: tuple[Told, ...]
    real: Tensor
    hidden: Tensor


class SaidBefore:
    """The runs of `size` words in the sentences of one recipe so far."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.next: dict[tuple[int, ...], set[int]] = {}

    def add(self, words: Sequence[int]) -> None:
        """A finished sentence. Its end counts as a word, so that a short sentence is not said twice either."""
        ended = [*words, EOS]
        for first in range(max(1, len(ended) - self.size + 1)):
            run = ended[first : first + self.size]
            self.next.setdefault(tuple(run[:-1]), set()).add(run[-1])

    def after(self, words: Sequence[int]) -> set[int]:
        """The words that would say a run, or a sentence shorter than a run, again."""
        return self.next.get(tuple(words[max(0, len(words) - self.size + 1) :]), set())


def write_sentences(
    speakers: Sequence[Speaker],
    max_words: int,
    beam: int = 1,
    length_reward: float = 1.0,
    said: Sequence[SaidBefore] | None = None,
    once: int = 0,
    again: Sequence[int] = (),
) -> Written:
    """Finish the open sentences.

    Args:
        speakers: of the same videos; their mean decides.
        said: per video, what was said before; it is not said again, unless nothing else can be said.
        once: words from this id on stand at most once in a sentence; 0 for any number of times.
        again: words that may be said again all the same.

    A sentence has at least one word, and never PAD, BOS or UNK. With `beam` > 1 every video keeps that many sentences
    at once and the one with the best log-probability / length ** length_reward wins; they are rows of one batch.
    """
    event = speakers[0].sentence.event
    videos, device = len(event), event.device
    if beam > 1:
        rows = torch.arange(videos, device=device).repeat_interleave(beam)
        speakers = [speaker.take(rows) for speaker in speakers]
    first_rows = torch.arange(videos, device=device).unsqueeze(1) * beam
    # One sentence is alive at the start; the others would be copies of it.
    totals = torch.full((videos, beam), float("-inf"), device=device)
    totals[:, 0] = 0.0
    tokens = torch.full((videos * beam, 1), BOS, device=device)
    finished = torch.zeros(videos * beam, dtype=torch.bool, device=device)
    writers = [SentenceWriter(speaker.model.generator, speaker.sentence, max_words + 1) for speaker in speakers]
    hidden = event.new_zeros(videos * beam, max_words + 1, event.shape[-1])
    for position in range(max_words + 1):
        outputs = [
            writer.next(speaker.model.fed(tokens[:, -1:])[:, 0])
            for speaker, writer in zip(speakers, writers, strict=True)
        ]
        hidden[:, position] = outputs[0]
        likely = mean_log_probabilities(
            [
                speaker.model.word_scores(output.unsqueeze(1), speaker.encoded, speaker.selection, writer.opened)[:, 0]
                for speaker, writer, output in zip(speakers, writers, outputs, strict=True)
            ]
        )
        following = _allowed(likely, finished, position, max_words)
        if once:
            _say_once(following, tokens, once, again)
        if said is not None:
            _forbid(following, tokens, finished, said, beam)
        scores = (totals.view(-1, 1) + following).view(videos, -1)
        totals, best = scores.topk(beam, dim=1)
        parent, token = best // likely.shape[1], best % likely.shape[1]
        if beam > 1:
            parents = (first_rows + parent).flatten()
            for writer in writers:
                writer.reorder(parents)
            hidden = hidden[parents]
            tokens, finished = tokens[parents], finished[parents]
        tokens = torch.cat((tokens, token.view(-1, 1)), dim=1)
        finished = finished | (tokens[:, -1] == EOS)
        if bool(finished.all()):
            break
        if beam == 1:
            for writer in writers:
                writer.leave(finished)
    return _best(tokens, totals, writers, hidden[:, : tokens.shape[1] - 1], beam, length_reward)


def _allowed(following: Tensor, finished: Tensor, position: int, max_words: int) -> Tensor:
    """Log-probabilities of what may follow, from those of all words: (rows, vocabulary)."""
    nothing = float("-inf")
    following[:, (PAD, BOS, UNK)] = nothing
    if position == 0:
        following[:, EOS] = nothing
    if position == max_words:
        end = following[:, EOS].clone()
        following[:] = nothing
        following[:, EOS] = end
    # A finished sentence goes on with padding that costs nothing, so that its total stays.
    following[finished] = nothing
    following[finished, PAD] = 0.0
    return following


def _say_once(following: Tensor, tokens: Tensor, once: int, again: Sequence[int]) -> None:
    """Take the words from id `once` on that stand in the sentence already out of the log-probabilities, in place."""
    spoken = torch.where(tokens >= once, tokens, PAD)
    # PAD is no word: it keeps what it had, which lets finished sentences go on. So do the words of `again`.
    free = torch.tensor([PAD, *again], device=tokens.device)
    kept = following[:, free]
    following.scatter_(1, spoken, float("-inf"))
    following[:, free] = kept


def _forbid(following: Tensor, tokens: Tensor, finished: Tensor, said: Sequence[SaidBefore], beam: int) -> None:
    """Take the words that would repeat a run of words out of (B, vocabulary) log-probabilities, in place."""
    over = finished.tolist()
    for row, words in enumerate(tokens[:, 1:].tolist()):
        again = [] if over[row] else sorted(said[row // beam].after(words))
        if again:
            without = following[row].index_fill(0, torch.tensor(again, device=tokens.device), float("-inf"))
            if bool(without.isfinite().any()):
                following[row] = without


def _best(
    tokens: Tensor,
    totals: Tensor,
    writers: Sequence[SentenceWriter],
    hidden: Tensor,
    beam: int,
    length_reward: float,
) -> Written:
    videos = len(totals)
    # The last token was never fed: it is EOS or padding in every row.
    fed = tokens[:, :-1]
    real = (fed != PAD) & (fed != EOS)
    lengths = real.sum(dim=1)
    if beam > 1:
        normalised = totals / lengths.view(videos, beam).float() ** length_reward
        keep = torch.arange(videos, device=totals.device) * beam + normalised.argmax(dim=1)
        tokens, real, lengths, hidden = tokens[keep], real[keep], lengths[keep], hidden[keep]
        for writer in writers:
            writer.reorder(keep)
        totals = totals.flatten()[keep]
    words = [row[1:length] for row, length in zip(tokens.tolist(), lengths.tolist(), strict=True)]
    return Written(words, totals.flatten() / lengths, tuple(writer.told() for writer in writers), real, hidden)
