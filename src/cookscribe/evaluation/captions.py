"""BLEU, CIDEr-D and ROUGE-L of many caption pairs at once, digit for digit as the common implementations give them.

A `CaptionTable` holds references and hypotheses, each belonging to a group (a video, or one group for a whole corpus),
and pairs of them within groups. What two sentences share is counted once; every threshold, flavour and direction of the
published evaluators is then a weighted sum over that.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from cookscribe.errors import BadValueError
from cookscribe.evaluation.grams import ORDERS, Grams, Ints, count_grams, ranges, sums

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Side = Literal["references", "hypotheses"]

_SMALL, _TINY = 1e-9, 1e-15  # BLEU's guards against division by zero, part of its published values
CIDER_SIGMA, CIDER_SCALE = 6.0, 10.0  # CIDEr-D's length penalty and scale
_BETA = 1.2  # ROUGE-L weighs recall this much above precision
_LOOKUP_LIMIT = 2_000_000  # n-grams looked up in one go, to bound memory
MOST_SHARED = 12_000_000  # n-grams that the sentences of pairs share, all of which are kept


class CaptionTable:
    """Caption pairs and what they share.

    Args:
        references: R tokenised sentences.
        hypotheses: H tokenised sentences.
        reference_group, hypothesis_group: (R,) and (H,) group of each sentence, not decreasing.
        pair_reference, pair_hypothesis: (P,) the pairs, sorted by reference, then hypothesis; within groups.
        groups: number of groups.
    """

    def __init__(
        self,
        references: Sequence[Sequence[str]],
        hypotheses: Sequence[Sequence[str]],
        reference_group: Ints,
        hypothesis_group: Ints,
        pair_reference: Ints,
        pair_hypothesis: Ints,
        groups: int,
    ) -> None:
        self.groups = groups
        self.pair_reference, self.pair_hypothesis = pair_reference, pair_hypothesis
        self.pair_group = reference_group[pair_reference]
        self._tokens = references, hypotheses
        # BLEU and CIDEr split at any blank, a no-break space included; ROUGE below does not.
        everything = count_grams([" ".join(s).split() for s in (*references, *hypotheses)])
        split = len(references)
        self.reference_length, self.hypothesis_length = np.split(everything.lengths, [split])
        group = np.concatenate([reference_group, hypothesis_group])
        # Number the n-grams of each group by themselves: document frequencies are counted within a group.
        self._scoped, scoped = np.unique(
            group[everything.sentence] * max(everything.size, 1) + everything.gram, return_inverse=True
        )
        self._size = everything.size
        is_reference = everything.sentence < split
        self._references = _side(everything, scoped, is_reference, 0)
        self._hypotheses = _side(everything, scoped, ~is_reference, split)
        self._pair, self._entry_reference, self._entry_hypothesis = self._join()
        least = np.minimum(
            self._references.count[self._entry_reference], self._hypotheses.count[self._entry_hypothesis]
        )
        self._least = least.astype(np.float64)
        cell = self._pair * ORDERS + self._references.order[self._entry_reference]
        self._shared = sums(cell, self._least, len(pair_reference) * ORDERS).reshape(-1, ORDERS)

    def _join(self) -> tuple[Ints, Ints, Ints]:
        """Every n-gram that both sentences of a pair hold: the pair, and the entries of reference and hypothesis.

        Each n-gram of a pair's hypothesis is looked up among those of its reference, many pairs at a time.
        """
        left, right = self._references, self._hypotheses
        width = max(len(self._scoped), 1)
        codes = left.sentence * width + left.gram
        by_code = np.argsort(codes, kind="stable")
        codes = codes[by_code]
        by_sentence = np.argsort(right.sentence, kind="stable")
        ordered = right.sentence[by_sentence]
        starts = np.searchsorted(ordered, self.pair_hypothesis, side="left")
        ends = np.searchsorted(ordered, self.pair_hypothesis, side="right")
        pieces = [(np.zeros(0, dtype=np.int64),) * 3]
        looked_up = np.cumsum(ends - starts)
        cuts = np.searchsorted(looked_up, np.arange(_LOOKUP_LIMIT, looked_up[-1:].sum(), _LOOKUP_LIMIT))
        held = 0
        for first, last in pairwise(np.unique(np.concatenate([[0], cuts, [len(starts)]]))):
            source, place = ranges(starts[first:last], ends[first:last])
            pair, entry = source + first, by_sentence[place]
            wanted = self.pair_reference[pair] * width + right.gram[entry]
            found = np.minimum(np.searchsorted(codes, wanted), max(len(codes) - 1, 0))
            shared = codes[found] == wanted if len(codes) else np.zeros(len(wanted), dtype=bool)
            pieces.append((pair[shared], by_code[found[shared]], entry[shared]))
            held += len(pieces[-1][0])
            if held > MOST_SHARED:
                raise BadValueError("captions", "are too many, too long and too much alike", "score fewer at a time")
        pair, entry_left, entry_right = (np.concatenate(column) for column in zip(*pieces, strict=True))
        return pair, entry_left, entry_right

    def bleu(self, active: Bools) -> Floats:
        """(groups, 4) BLEU-1 to BLEU-4 of each group over its active pairs; 0 for a group without any."""
        group = self.pair_group[active]
        guess_length = self.hypothesis_length[self.pair_hypothesis[active]]
        total = np.bincount(group, minlength=self.groups)
        guessed = sums(group, guess_length, self.groups)
        wanted = sums(group, self.reference_length[self.pair_reference[active]], self.groups)
        product = np.ones(self.groups)
        result = np.zeros((self.groups, ORDERS))
        for order in range(ORDERS):
            correct = sums(group, self._shared[active, order], self.groups)
            guesses = sums(group, np.maximum(0, guess_length - order), self.groups)
            product *= (correct + _TINY) / (guesses + _SMALL)
            result[:, order] = product ** (1.0 / (order + 1))
        ratio = (guessed + _TINY) / (wanted + _SMALL)
        with np.errstate(over="ignore"):
            brevity = np.where(ratio < 1, np.exp(1 - 1 / ratio), 1.0)
        result *= brevity[:, None]
        result[total == 0] = 0.0
        return result

    def idf_by_group(self, side: Side, copies: Floats, documents: Floats) -> Floats:
        """Inverse document frequency of each n-gram within its group.

        Args:
            side: which sentences are the documents.
            copies: how often each sentence of that side counts as a document.
            documents: (groups,) documents per group.
        """
        entries = self._references if side == "references" else self._hypotheses
        frequency = sums(entries.gram, copies[entries.sentence], len(self._scoped))
        group = self._scoped // max(self._size, 1)
        idf: Floats = np.log(np.maximum(documents, 1.0))[group] - np.log(np.maximum(frequency, 1.0))
        return idf

    def idf_by_corpus(self, documents: Bools) -> Floats:
        """Inverse document frequency of each n-gram over all groups; each reference marked in `documents` is one."""
        plain = self._scoped % max(self._size, 1)
        counted = documents[self._references.sentence]
        frequency = np.bincount(plain[self._references.gram[counted]], minlength=max(self._size, 1))
        idf: Floats = np.log(max(float(documents.sum()), 1.0)) - np.log(np.maximum(frequency, 1.0))[plain]
        return idf

    def cider(self, idf: Floats, plays_reference: Side = "references") -> Floats:
        """(P,) CIDEr-D of each pair. `plays_reference` says which side's counts stand for the reference's."""
        left, right = self._references, self._hypotheses
        played, entry = (
            (left, self._entry_reference) if plays_reference == "references" else (right, self._entry_hypothesis)
        )
        weight = self._least * played.count[entry] * idf[played.gram[entry]] ** 2
        cell = self._pair * ORDERS + played.order[entry]
        similarity = sums(cell, weight, len(self.pair_group) * ORDERS).reshape(-1, ORDERS)
        norms = (
            _norms(left, idf, len(self.reference_length))[self.pair_reference]
            * _norms(right, idf, len(self.hypothesis_length))[self.pair_hypothesis]
        )
        similarity = np.divide(similarity, norms, out=np.zeros_like(similarity), where=norms > 0)
        # The common implementation takes the length for this penalty from the bigrams, hence one word less.
        difference = (
            np.maximum(0, self.hypothesis_length - 1)[self.pair_hypothesis]
            - (np.maximum(0, self.reference_length - 1)[self.pair_reference])
        )
        penalty = np.exp(-(difference.astype(np.float64) ** 2) / (2 * CIDER_SIGMA**2))
        result: Floats = CIDER_SCALE * penalty * similarity.mean(axis=1)
        return result

    def rouge(self, wanted: Bools) -> Floats:
        """(P,) ROUGE-L of the wanted pairs, 0 elsewhere."""
        references, hypotheses = (tuple(" ".join(s) for s in side) for side in self._tokens)
        result = np.zeros(len(self.pair_group))
        for pair in np.flatnonzero(wanted):
            result[pair] = rouge_l(hypotheses[self.pair_hypothesis[pair]], references[self.pair_reference[pair]])
        return result


class _Entries:
    """The n-gram entries of one side."""

    def __init__(self, sentence: Ints, gram: Ints, order: Ints, count: Ints) -> None:
        self.sentence, self.gram, self.order, self.count = sentence, gram, order, count


def _side(grams: Grams, scoped: Ints, chosen: Bools, first: int) -> _Entries:
    return _Entries(grams.sentence[chosen] - first, scoped[chosen], grams.order[chosen], grams.count[chosen])


def _norms(entries: _Entries, idf: Floats, sentences: int) -> Floats:
    cell = entries.sentence * ORDERS + entries.order
    squares = sums(cell, (entries.count * idf[entries.gram]) ** 2, sentences * ORDERS)
    norms: Floats = np.sqrt(squares).reshape(-1, ORDERS)
    return norms


@lru_cache(maxsize=1 << 16)
def rouge_l(hypothesis: str, reference: str) -> float:
    """ROUGE-L of two tokenised sentences. Tokens end at a blank only; an empty sentence counts as one empty token."""
    left, right = hypothesis.split(" "), reference.split(" ")
    common = _common_length(left, right)
    if not common:
        return 0.0
    precision, recall = common / len(left), common / len(right)
    return ((1 + _BETA**2) * precision * recall) / (recall + _BETA**2 * precision)


def _common_length(left: list[str], right: list[str]) -> int:
    """Length of the longest common subsequence, one machine word of bits per step (Crochemore and others, 2001)."""
    places: dict[str, int] = {}
    for index, word in enumerate(left):
        places[word] = places.get(word, 0) | 1 << index
    full = (1 << len(left)) - 1
    row = full
    for word in right:
        hit = row & places.get(word, 0)
        row = ((row + hit) | (row - hit)) & full
    return len(left) - row.bit_count()
