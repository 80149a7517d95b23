"""Sets of spans that do not overlap: how probable a set is, samples, and the set with the highest expected SODA tIoU.

A film is cut into equal bins. The score of a set is the sum of the scores of its spans, and its probability is
exp(score) / Z, the sum over all sets: a semi-Markov conditional random field (Sarawagi and Cohen, 2004). Z and samples
come from one dynamic programme over the borders of the bins.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from cookscribe.candidates import tiou_matrix

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

IMPOSSIBLE = -1e9  # score of what lies outside the film; finite, because gradients pass through it


@dataclass(frozen=True)
class SpanGrid:
    """All spans of at most `longest` of the `bins` of a film; there are S of them."""

    bins: int
    longest: int

    @cached_property
    def spans(self) -> Integers:
        """(S, 2) first and last border of every span, in order of start, then length."""
        pairs = [(s, s + n) for s in range(self.bins) for n in range(1, self.longest + 1) if s + n <= self.bins]
        return np.array(pairs, dtype=np.int64)

    @cached_property
    def by_end(self) -> Integers:
        """(bins + 1, longest) number of the span that ends at a border and has 1, 2, ... bins; S if there is none."""
        table = np.full((self.bins + 1, self.longest), len(self.spans), dtype=np.int64)
        table[self.spans[:, 1], self.spans[:, 1] - self.spans[:, 0] - 1] = np.arange(len(self.spans))
        return table

    @cached_property
    def tious(self) -> NDArray[np.float32]:
        """(S, S) tIoU of any two spans."""
        spans = self.spans.astype(np.float64)
        return tiou_matrix(spans, spans).astype(np.float32)

    def nearest_set(self, spans: Floats, duration: float) -> Integers:
        """Numbers of the spans nearest to the given ones, (T, 2) seconds, cut so that they do not overlap.

        What is longer than `longest` keeps its middle; what has no bin left is dropped.
        """
        chosen: list[int] = []
        free = 0
        borders = np.rint(np.asarray(spans, dtype=np.float64).reshape(-1, 2) * (self.bins / duration)).astype(int)
        for first, last in borders[np.lexsort((borders[:, 1], borders[:, 0]))].tolist():
            first, last = max(first, free), min(max(last, first + 1), self.bins)
            if first >= last:
                first = last - 1
            if first < free:
                continue
            if last - first > self.longest:
                first = max(free, (first + last) // 2 - self.longest // 2)
                last = first + self.longest
            chosen.append(int(self.by_end[last, last - first - 1]))
            free = last
        return np.array(chosen, dtype=np.int64)


def log_sums(scores: Tensor, grid: SpanGrid) -> Tensor:
    """(B, bins + 1) logarithm of the sum over all sets of spans that end at a border or before; the last is log Z.

    Args:
        scores: (B, S) of the spans.
    """
    batch = len(scores)
    outside = torch.full_like(scores[:, :1], IMPOSSIBLE)
    by_end = torch.from_numpy(grid.by_end).to(scores.device)
    table = torch.cat((scores, outside), dim=1)[:, by_end.flatten()].view(batch, grid.bins + 1, grid.longest)
    sums = [scores.new_zeros(batch)]
    for border in range(1, grid.bins + 1):
        reach = min(border, grid.longest)
        before = torch.stack(sums[border - reach :][::-1], dim=1)
        # Either the last bin belongs to no span, or a span of 1, 2, ... bins ends here.
        ways = torch.cat((sums[-1].unsqueeze(1), before + table[:, border, :reach]), dim=1)
        sums.append(ways.logsumexp(dim=1))
    return torch.stack(sums, dim=1)


@dataclass(frozen=True, eq=False)
class SampledSets:
    """`count` sets of spans.

    Attributes:
        owner, span: (K,) number of a set and of a span in it, sorted by both.
    """

    owner: Integers
    span: Integers
    count: int

    @cached_property
    def sizes(self) -> Floats:
        """(count,) spans of each set."""
        return np.bincount(self.owner, minlength=self.count).astype(np.float64)


def sample_sets(scores: Tensor, grid: SpanGrid, counts: Integers, random: np.random.Generator) -> SampledSets:
    """Sets drawn by their probability, (M,) `counts` of them by the (M, S) scores of M models."""
    models = len(scores)
    sums = log_sums(scores, grid).double().cpu().numpy()
    padded = np.concatenate((scores.double().cpu().numpy(), np.full((models, 1), -math.inf)), axis=1)
    # ways[m, t, n]: the probability that what ends at border t is a span of n bins; n = 0 is an empty bin.
    ways = np.zeros((models, grid.bins + 1, grid.longest + 1))
    for border in range(1, grid.bins + 1):
        reach = min(border, grid.longest)
        before = sums[:, border - reach : border][:, ::-1]
        ways[:, border, 0] = sums[:, border - 1]
        ways[:, border, 1 : reach + 1] = before + padded[:, grid.by_end[border, :reach]]
        ways[:, border, : reach + 1] = np.exp(ways[:, border, : reach + 1] - sums[:, border, None])
    below = ways.cumsum(axis=2)
    model = np.repeat(np.arange(models), counts)
    place = np.full(len(model), grid.bins)
    owners, spans = [], []
    while len(walking := np.flatnonzero(place > 0)):
        at = place[walking]
        limits = below[model[walking], at]
        drawn = random.random(len(walking)) * limits[:, -1]
        length = (limits <= drawn[:, None]).sum(axis=1)
        taken = length > 0
        owners.append(walking[taken])
        spans.append(grid.by_end[at[taken], length[taken] - 1])
        place[walking] -= np.maximum(length, 1)
    owner, span = np.concatenate(owners), np.concatenate(spans)
    order = np.lexsort((span, owner))
    return SampledSets(owner[order], span[order], len(model))


def expected_soda(chosen: list[int], truths: SampledSets, grid: SpanGrid) -> float:
    """Mean SODA tIoU, 0 to 1, of the chosen spans, in order, where each of the sets is as likely to be the truth."""
    rank = np.arange(len(truths.owner)) - np.searchsorted(truths.owner, truths.owner)
    gain = np.zeros((truths.count, int(truths.sizes.max(initial=0)), len(chosen)), dtype=np.float32)
    gain[truths.owner, rank] = grid.tious[truths.span[:, None], chosen]
    best = np.zeros((truths.count, len(chosen) + 1), dtype=np.float32)
    for step in range(gain.shape[1]):
        best[:, 1:] = np.maximum(best[:, 1:], best[:, :-1] + gain[:, step])
        best = np.maximum.accumulate(best, axis=1)
    return float((2 * best[:, -1] / (len(chosen) + truths.sizes)).mean())


def best_expected(truths: SampledSets, grid: SpanGrid, most: int) -> tuple[list[int], Floats]:
    """The set of 1 to `most` spans with the highest expected SODA tIoU, as far as it is searched for.

    For every size, the spans are chosen by a dynamic programme whose sums forget that two of them may meet the same
    true step; of the sets so found the best by the exact expectation is taken.

    Returns:
        Numbers of the spans in order, and the expected tIoU of each with its nearest true step.
    """
    owners, first = np.unique(truths.owner, return_index=True)
    nearest = np.zeros((len(grid.spans), truths.count), dtype=np.float32)
    if len(first):
        nearest[:, owners] = np.maximum.reduceat(grid.tious[:, truths.span], first, axis=1)
    low, high = np.quantile(truths.sizes, (0.1, 0.9)).round().astype(int).tolist()
    best: tuple[float, list[int]] = (-1.0, [])
    for size in range(max(1, min(low - 1, most)), min(high + 2, most) + 1):
        gains = (nearest @ (2 / (size + truths.sizes)).astype(np.float32)).astype(np.float64)
        chosen = best_set(gains, grid, size)
        if chosen:
            best = max(best, (expected_soda(chosen, truths, grid), chosen))
    return best[1], nearest[best[1]].mean(axis=1, dtype=np.float64)


def best_set(gains: Floats, grid: SpanGrid, size: int) -> list[int]:
    """The `size` spans that do not overlap with the highest sum of `gains`, (S,), in order; fewer bins give none."""
    # reached[k, t]: best sum of k spans that end at border t or before.
    reached = np.full((size + 1, grid.bins + 1), -math.inf)
    reached[0] = 0.0
    taken = np.full((size + 1, grid.bins + 1), -1, dtype=np.int64)
    for border in range(1, grid.bins + 1):
        spans = grid.by_end[border, : min(border, grid.longest)]
        sums = reached[:-1, grid.spans[spans, 0]] + gains[spans]
        best = sums.argmax(axis=1)
        value = sums[np.arange(size), best]
        better = value > reached[1:, border - 1]
        reached[1:, border] = np.where(better, value, reached[1:, border - 1])
        taken[1:, border] = np.where(better, spans[best], -1)
    if not math.isfinite(reached[size, grid.bins]):
        return []
    chosen: list[int] = []
    left, border = size, grid.bins
    while left:
        span = taken[left, border]
        if span < 0:
            border -= 1
            continue
        chosen.append(int(span))
        left, border = left - 1, int(grid.spans[span, 0])
    return chosen[::-1]
