"""The parallel caption head: an LSTM per candidate whose attention samples the video anew for every word.

Positions are drawn around the candidate's span from the LSTM state and the query (deformable), the samples compete by
additive attention (soft). All candidates of all videos are rows of the same batch: N captions cost about as many steps
as the longest one.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from cookscribe.proposals.pdvc.config import ProposalConfig
from cookscribe.proposals.pdvc.deformable import Pyramid, initial_offsets, places
from cookscribe.proposals.pdvc.transformer import Encoded
from cookscribe.text.vocabulary import BOS, EOS, PAD, UNK

POINTS = 4  # sampled positions per level and word


class Captions(NamedTuple):
    """Captions of R rows: tokens (R, W) without BOS, PAD after EOS; (R,) summed log p; (R,) words without EOS."""

    tokens: Tensor
    log_probability: Tensor
    lengths: Tensor


class Rows(NamedTuple):
    """R candidates, whatever videos they belong to.

    Attributes:
        videos: (R,) number of the video in the batch.
        queries: (R, width) query vectors.
        references: (R, 2) centre and length in units of the video, or (R, 1) a bare centre.
    """

    videos: Tensor
    queries: Tensor
    references: Tensor


class _Sight(NamedTuple):
    """What the attention reads, prepared once per batch: sampling is linear, so keys are projected before it.

    Attributes:
        table: (B x rows, 2 x caption width) keys and values with zero rows around each level.
        drawn: (R, levels x points, 2 x caption width) keys and values at positions drawn once, or None: for every word.
        first: (R, 1, 1) first table row of each candidate's video.
        real: (R, levels, 1) real tokens per level.
        starts: (levels, 1) table row of each level's first token.
        query_key: (R, caption width) the query's part of the attention.
        query_offsets: (R, levels x points), query_gates: (R, 4 x caption width) likewise for offsets and LSTM.
        references: (R, 1 or 2)
    """

    table: Tensor
    drawn: Tensor | None
    first: Tensor
    real: Tensor
    starts: Tensor
    query_key: Tensor
    query_offsets: Tensor
    query_gates: Tensor
    references: Tensor

    def narrow(self, rows: int) -> _Sight:
        """The first rows only."""
        return self._replace(
            drawn=None if self.drawn is None else self.drawn[:rows],
            first=self.first[:rows],
            real=self.real[:rows],
            query_key=self.query_key[:rows],
            query_offsets=self.query_offsets[:rows],
            query_gates=self.query_gates[:rows],
            references=self.references[:rows],
        )


class CaptionHead(nn.Module):
    """Words of one event from its query vector and the encoded video."""

    def __init__(self, config: ProposalConfig) -> None:
        super().__init__()
        size, samples = config.caption_width, config.levels * POINTS
        self.levels, self.longest = config.levels, config.caption_length
        self.border, self.rank_eos = config.padding == "border", config.rank_eos
        self.per_caption = config.caption_loss == "caption"
        self.word = nn.Embedding(config.words, size, padding_idx=PAD)
        self.memory = nn.Linear(config.width, 2 * size, bias=False)
        self.rows = nn.Linear(config.feature_size, 2 * size, bias=False) if config.caption_frames else None
        # Positions drawn once per event depend on its query alone.
        self.state_offsets = nn.Linear(size, samples) if config.caption_sampling == "word" else None
        self.query_offsets = nn.Linear(config.width, samples, bias=self.state_offsets is None)
        self.state_key = nn.Linear(size, size)
        self.query_key = nn.Linear(config.width, size, bias=False)
        self.score = nn.Linear(size, 1)
        self.query_gates = nn.Linear(config.width, 4 * size, bias=False)
        self.cell = nn.LSTMCell(2 * size, size)
        self.output = nn.Linear(size, config.words)
        self.dropout = nn.Dropout(config.caption_dropout)
        start = self.query_offsets if self.state_offsets is None else self.state_offsets
        with torch.no_grad():
            self.query_offsets.weight.zero_()
            start.weight.zero_()
            # Alternate sides, because there is only one head.
            sides = 1 - 2 * (torch.arange(samples) % 2)
            start.bias.copy_(initial_offsets(1, config.levels, POINTS) * sides)

    @torch.no_grad()
    def expect(self, words: Tensor) -> None:
        """Start with how often each word is used, (words,) counts: the first lesson need not be learnt."""
        counts = words.to(self.output.bias)
        self.output.bias.copy_(((counts + 1.0) / (counts.sum() + len(counts))).log())

    def forward(self, encoded: Encoded, rows: Rows, sentences: Tensor) -> Tensor:
        """Negative log-likelihood of the true words, summed over all rows; of each row the mean if `per_caption`.

        Args:
            sentences: (R, W) token ids that end with EOS, PAD after it.
        """
        lengths = (sentences != PAD).sum(dim=1)
        order = lengths.argsort(descending=True, stable=True)
        sentences, rows = sentences[order], Rows(*(part[order] for part in rows))
        alive = [(lengths > step).sum().item() for step in range(sentences.shape[1])]
        sight = self._look(encoded, rows)
        inputs = torch.cat([torch.full_like(sentences[:, :1], BOS), sentences[:, :-1]], dim=1)
        words = self.dropout(self.word(inputs))
        state = (words.new_zeros(len(words), words.shape[2]),) * 2
        states: list[Tensor] = []
        targets: list[Tensor] = []
        # Rows are sorted by length, so that finished captions simply fall off the end.
        for step, count in enumerate(alive):
            if not count:
                break
            if count < len(state[0]):
                sight, state = sight.narrow(int(count)), (state[0][: int(count)], state[1][: int(count)])
            state = self._step(words[: int(count), step], state, sight)
            states.append(state[0])
            targets.append(sentences[: int(count), step])
        if not states:
            return self.output.weight.sum() * 0.0
        logits = self.output(self.dropout(torch.cat(states)))
        losses = functional.cross_entropy(logits, torch.cat(targets), reduction="none")
        if self.per_caption:
            share = 1.0 / lengths[order].clamp(min=1).to(losses.dtype)
            losses = losses * torch.cat([share[: len(part)] for part in targets])
        return losses.sum()

    @torch.no_grad()
    def decode(self, encoded: Encoded, rows: Rows) -> Captions:
        """Greedy captions of all rows in one batch."""
        count, device = len(rows.videos), rows.videos.device
        sight = self._look(encoded, rows)
        token = torch.full((count,), BOS, device=device)
        state = (rows.queries.new_zeros(count, self.cell.hidden_size),) * 2
        log_probability = rows.queries.new_zeros(count)
        running = torch.ones(count, dtype=torch.bool, device=device)
        words: list[Tensor] = []
        for _ in range(self.longest):
            state = self._step(self.word(token), state, sight)
            logits = self.output(state[0])
            # Neither padding nor a second beginning nor the unknown word is something to say.
            logits[:, [PAD, BOS, UNK]] = -torch.inf
            best = logits.log_softmax(dim=-1).max(dim=-1)
            token = torch.where(running, best.indices, torch.full_like(best.indices, PAD))
            log_probability = log_probability + best.values * (running & (self.rank_eos | (token != EOS)))
            words.append(token)
            running = running & (token != EOS)
            if not running.any():
                break
        tokens = torch.stack(words, dim=1) if words else torch.zeros(count, 0, dtype=torch.long, device=device)
        lengths = ((tokens != PAD) & (tokens != EOS)).sum(dim=1)
        return Captions(tokens, log_probability, lengths)

    def _look(self, encoded: Encoded, rows: Rows) -> _Sight:
        pyramid = encoded.pyramid
        seen = self.memory(encoded.tokens)
        if self.rows is not None:
            seen = seen + pooled_levels(self.rows(encoded.frames), pyramid)
        table = pyramid.table(seen.masked_fill(~pyramid.mask[..., None], 0.0))
        sight = _Sight(
            table=table.flatten(0, 1),
            drawn=None,
            first=(rows.videos * table.shape[1])[:, None, None],
            real=pyramid.real[rows.videos][..., None],
            starts=pyramid.table_starts[:, None],
            query_key=self.query_key(rows.queries),
            query_offsets=self.query_offsets(rows.queries),
            query_gates=self.query_gates(rows.queries),
            references=rows.references,
        )
        if self.state_offsets is None:
            sight = sight._replace(drawn=self._draw(sight.query_offsets, sight))
        return sight

    def _step(self, word: Tensor, state: tuple[Tensor, Tensor], sight: _Sight) -> tuple[Tensor, Tensor]:
        hidden, cell = state
        attended = self._attend(hidden, sight)
        gates = functional.linear(torch.cat([word, attended], dim=-1), self.cell.weight_ih, self.cell.bias_ih)
        gates = gates + functional.linear(hidden, self.cell.weight_hh, self.cell.bias_hh) + sight.query_gates
        enter, forget, new, leave = gates.chunk(4, dim=-1)
        cell = forget.sigmoid() * cell + enter.sigmoid() * new.tanh()
        return leave.sigmoid() * cell.tanh(), cell

    def _attend(self, hidden: Tensor, sight: _Sight) -> Tensor:
        """(R, caption width) to (R, caption width): additive attention over levels x points samples."""
        drawn = sight.drawn
        if drawn is None:
            assert self.state_offsets is not None
            drawn = self._draw(self.state_offsets(hidden) + sight.query_offsets, sight)
        keys, values = drawn.chunk(2, dim=-1)
        scores = self.score(torch.tanh(keys + (self.state_key(hidden) + sight.query_key)[:, None]))
        read: Tensor = (scores.softmax(dim=1) * values).sum(dim=1)
        return read

    def _draw(self, offsets: Tensor, sight: _Sight) -> Tensor:
        """Offsets (R, levels x points) in units of the span to keys and values (R, levels x points, 2 x caption width).

        Positions lie between tokens; the two neighbours are mixed by nearness.
        """
        offsets = offsets.view(-1, self.levels, POINTS)
        centre, length = sight.references[:, :1, None], sight.references[:, 1:, None]
        # Around a bare centre offsets count rows of the level.
        step = length * (0.5 / POINTS) if length.shape[1] else 1.0 / sight.real
        place = places(centre + offsets * step, sight.real, self.border)
        left = place.detach().floor()
        index = ((left + sight.starts).long() + sight.first).flatten(1)
        nearness = (place - left).flatten(1)[..., None]
        # One look-up for both neighbours: its backward clears a gradient as large as the table.
        before, after = functional.embedding(torch.stack([index, index + 1]), sight.table).unbind()
        return torch.lerp(before, after, nearness)


def pooled_levels(rows: Tensor, pyramid: Pyramid) -> Tensor:
    """Rows (B, L, X) of the finest level to all levels, (B, S, X): a row is the mean of the real ones of two."""
    mask = pyramid.mask[:, : pyramid.sizes[0], None].to(rows.dtype)
    rows = rows * mask
    levels = [rows]
    for _ in pyramid.sizes[1:]:
        odd = rows.shape[1] % 2
        rows, mask = functional.pad(rows, (0, 0, 0, odd)), functional.pad(mask, (0, 0, 0, odd))
        mask = mask[:, ::2] + mask[:, 1::2]
        rows = (rows[:, ::2] + rows[:, 1::2]) / mask.clamp(min=1.0)
        mask = mask.clamp(max=1.0)
        levels.append(rows)
    return torch.cat(levels, dim=1)
