"""Writing the sentences of one step, word by word, greedy or with a beam; earlier words are never computed again."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from cookscribe.model.batch import take
from cookscribe.model.beyond.cached_writer import SentenceWriter
from cookscribe.model.beyond.ensemble import SentenceContext, mean_log_probabilities
from cookscribe.model.beyond.repetition import Forbid
from cookscribe.model.config import BOS, EOS, PAD, UNK
from cookscribe.model.generator import FinishedSentence


@dataclass(frozen=True)
class Written:
    """Finished sentences of B videos.

    Attributes:
        words: per video, the ids of its words, without BOS and EOS.
        scores: (B,) mean log-probability of a word, EOS included.
        finished: per member of the ensemble, to be closed by its model.
        real: (B, length) True for BOS and the words, False behind the end of the sentence.
        read: per member, which of its rows the memory reads: (B, length) as `real`, or (B, length + 1) with EOS.
        hidden: (B, length, d) output vectors of the first member, position k predicts word k.
    """

    words: list[list[int]]
    scores: Tensor
    finished: tuple[FinishedSentence, ...]
    real: Tensor
    read: tuple[Tensor, ...]
    hidden: Tensor


def write_sentences(
    contexts: Sequence[SentenceContext],
    max_words: int,
    beam: int = 1,
    length_penalty: float = 1.0,
    forbid: Forbid | None = None,
    any_word: bool = False,
) -> Written:
    """Finish the open sentences.

    Args:
        contexts: of the members of an ensemble, for the same videos; their mean decides.
        forbid: takes out words that may not be said.
        any_word: UNK and a sentence without words are allowed too.

    A sentence never has PAD or BOS, and unless `any_word` has one word or more and no UNK. With `beam` > 1 every video
    keeps that many sentences at once and the one with the best log-probability / length ** length_penalty wins; they
    are rows of one batch.
    """
    event = contexts[0].sentence.event
    videos, device = len(event), event.device
    if beam > 1:
        rows = torch.arange(videos, device=device).repeat_interleave(beam)
        contexts = take(tuple(contexts), rows)
    first_rows = torch.arange(videos, device=device).unsqueeze(1) * beam
    # One sentence is alive at the start; the others would be copies of it.
    totals = torch.full((videos, beam), float("-inf"), device=device)
    totals[:, 0] = 0.0
    tokens = torch.full((videos * beam, 1), BOS, device=device)
    finished = torch.zeros(videos * beam, dtype=torch.bool, device=device)
    # Where the memory reads the row of EOS too, a sentence goes on for one more row after its end.
    reads_eos = [context.model.config.text_memory == "eos" for context in contexts]
    writers = [SentenceWriter(context.model.generator, context.sentence, max_words + 2) for context in contexts]
    hidden = event.new_zeros(videos * beam, max_words + 1, event.shape[-1])
    for position in range(max_words + 1):
        outputs = [
            writer.next(context.model.embedding_ids(tokens[:, -1:])[:, 0])
            for context, writer in zip(contexts, writers, strict=True)
        ]
        hidden[:, position] = outputs[0]
        likely = mean_log_probabilities(
            [
                context.model.word_scores(output.unsqueeze(1), context.encoded, context.selection, writer.opened)[:, 0]
                for context, writer, output in zip(contexts, writers, outputs, strict=True)
            ]
        )
        following = _allowed(likely, finished, position, max_words, any_word)
        if forbid is not None:
            forbid(following, tokens, finished)
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
            for writer, eos in zip(writers, reads_eos, strict=True):
                writer.leave(tokens[:, -1] == PAD if eos else finished)
    for writer, eos in zip(writers, reads_eos, strict=True):
        if eos:
            writer.next(tokens[:, -1])
    return _best(tokens, totals, writers, reads_eos, hidden[:, : tokens.shape[1] - 1], beam, length_penalty)


def _allowed(following: Tensor, finished: Tensor, position: int, max_words: int, any_word: bool) -> Tensor:
    """Log-probabilities of what may follow, from those of all words: (rows, vocabulary)."""
    nothing = float("-inf")
    following[:, (PAD, BOS) if any_word else (PAD, BOS, UNK)] = nothing
    if position == 0 and not any_word:
        following[:, EOS] = nothing
    if position == max_words:
        end = following[:, EOS].clone()
        following[:] = nothing
        following[:, EOS] = end
    # A finished sentence goes on with padding that costs nothing, so that its total stays.
    following[finished] = nothing
    following[finished, PAD] = 0.0
    return following


def _best(
    tokens: Tensor,
    totals: Tensor,
    writers: Sequence[SentenceWriter],
    reads_eos: Sequence[bool],
    hidden: Tensor,
    beam: int,
    length_penalty: float,
) -> Written:
    videos = len(totals)
    # The last token predicts nothing: it is EOS or padding in every row.
    inputs = tokens[:, :-1]
    real = (inputs != PAD) & (inputs != EOS)
    lengths = real.sum(dim=1)
    if beam > 1:
        normalised = totals / lengths.view(videos, beam).float() ** length_penalty
        keep = torch.arange(videos, device=totals.device) * beam + normalised.argmax(dim=1)
        tokens, real, lengths, hidden = take((tokens, real, lengths, hidden), keep)
        for writer in writers:
            writer.reorder(keep)
        totals = totals.flatten()[keep]
    words = [row[1:length] for row, length in zip(tokens.tolist(), lengths.tolist(), strict=True)]
    return Written(
        words=words,
        scores=totals.flatten() / lengths,
        finished=tuple(writer.finished() for writer in writers),
        real=real,
        read=tuple(tokens != PAD if eos else real for eos in reads_eos),
        hidden=hidden,
    )
