"""The captions of all overlapping events, and of every prediction with the garbage that stray ones are scored against.

One table serves dvc_eval and SODA, so that tokens and n-grams are counted once.
"""

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from cookscribe.evaluation.captions import Bools, CaptionTable, Floats
from cookscribe.evaluation.events import Video
from cookscribe.evaluation.grams import Ints
from cookscribe.evaluation.pairing import MAX_PROPOSALS, THRESHOLDS, Pairing
from cookscribe.text.tokens import ptb_tokens


class CaptionPairs:
    """Pairs of a true and a predicted caption. In each video the garbage is one reference more, after the true ones.

    Attributes:
        pair_reference, pair_hypothesis: (K,) the pairs, sorted by reference, then hypothesis.
        tiou: (K,) above 0, or NaN for a pair with garbage.
        real: (K,) not garbage; the real pairs stand in the order of `pairing`.
        is_garbage: (R,) which references are garbage.
        references, hypotheses: tokenised captions, tokens joined by blanks.
    """

    def __init__(self, videos: Sequence[Video], pairing: Pairing, garbage: str) -> None:
        self.pairing = pairing
        self._garbage = ptb_tokens(garbage)
        self._references = [
            tokens
            for video in videos
            for tokens in (*(ptb_tokens(sentence) for sentence in video.truth.sentences), self._garbage)
        ]
        self._hypotheses = [
            ptb_tokens(sentence)
            for video in videos
            for sentence in (video.predicted.sentences if video.predicted is not None else ())
        ]
        garbage_at = np.cumsum(pairing.truth_count + 1) - 1
        # Each video has one reference more than true events, so later events move up by the number of videos before.
        moved = pairing.pair_truth + pairing.truth_video[pairing.pair_truth]
        pair_reference = np.concatenate([moved, garbage_at[pairing.predicted_video]])
        pair_hypothesis = np.concatenate([pairing.pair_predicted, np.arange(len(self._hypotheses))])
        order = np.lexsort((pair_hypothesis, pair_reference))
        self.pair_reference: Ints = pair_reference[order]
        self.pair_hypothesis: Ints = pair_hypothesis[order]
        self.tiou: Floats = np.concatenate([pairing.tiou, np.full(len(self._hypotheses), np.nan)])[order]
        self.real: Bools = ~np.isnan(self.tiou)
        self.is_garbage: Bools = np.zeros(len(self._references), dtype=bool)
        self.is_garbage[garbage_at] = True
        self.references = [" ".join(tokens) for tokens in self._references]
        self.hypotheses = [" ".join(tokens) for tokens in self._hypotheses]

    @cached_property
    def table(self) -> CaptionTable:
        """What the sentences of each pair share."""
        return CaptionTable(
            self._references,
            self._hypotheses,
            np.repeat(np.arange(self.pairing.videos), self.pairing.truth_count + 1),
            self.pairing.predicted_video,
            self.pair_reference,
            self.pair_hypothesis,
            self.pairing.videos,
        )

    def active(self, threshold: float) -> Bools:
        """Which pairs dvc_eval counts: close ones, and garbage for predictions that are close to nothing."""
        listed = self.pairing.predicted_place < MAX_PROPOSALS
        with np.errstate(invalid="ignore"):
            close: Bools = (self.tiou >= threshold) & listed[self.pair_hypothesis]
        matched = np.zeros(len(listed), dtype=bool)
        matched[self.pair_hypothesis[close]] = True
        stray = ~self.real & (listed & ~matched)[self.pair_hypothesis]
        return close | stray

    @cached_property
    def ever_active(self) -> Bools:
        """Pairs that count at one threshold or another."""
        ever = np.zeros(len(self.tiou), dtype=bool)
        for threshold in THRESHOLDS:
            ever |= self.active(threshold)
        return ever

    @property
    def garbage_is_said(self) -> bool:
        """Whether a prediction contains a word of the garbage, so that it matters which garbage was taken."""
        nonsense = set(self._garbage)
        return any(not nonsense.isdisjoint(tokens) for tokens in self._hypotheses)

    def texts(self, chosen: Bools, garbage: str | None = None) -> tuple[list[str], list[str]]:
        """Hypotheses and references of the chosen pairs, with another garbage if one is given."""
        other = None if garbage is None else " ".join(ptb_tokens(garbage))
        references = [
            other if other is not None and self.is_garbage[i] else self.references[i]
            for i in self.pair_reference[chosen]
        ]
        return [self.hypotheses[i] for i in self.pair_hypothesis[chosen]], references
