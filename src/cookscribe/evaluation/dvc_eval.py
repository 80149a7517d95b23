"""dvc_eval, the dense-captioning evaluation of the ActivityNet challenges, in its flavours of 2018 and 2021.

At each threshold every prediction is paired with every true event it overlaps enough (tIoU >= threshold), and a
prediction that overlaps none with a piece of garbage. The pairs of one video are scored as a little corpus of their
own, the scores are averaged over all videos of the truth (a video without predictions scores 0), then over the
thresholds.

The flavours differ in the garbage alone: `abc123!@#` in 2018, random letters in 2021. Only METEOR sees the difference:
it reads the first as four tokens, the second as one, and so punishes stray predictions less. Any letters that are no
word give the same value, so the 2021 flavour needs no random numbers here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from cookscribe.evaluation.captions import Bools, CaptionTable, Floats
from cookscribe.evaluation.events import Video
from cookscribe.evaluation.grams import Ints, sums
from cookscribe.evaluation.meteor import MeteorTable
from cookscribe.evaluation.pairing import MAX_PROPOSALS, THRESHOLDS, Pairing
from cookscribe.tokens import ptb_tokens

Flavour = Literal["2018", "2021"]
FLAVOURS: tuple[Flavour, ...] = ("2018", "2021")
GARBAGE: dict[Flavour, str] = {"2018": "abc123!@#", "2021": "qzvxkjwqpzxjvq"}
METRICS = ("BLEU1", "BLEU2", "BLEU3", "BLEU4", "METEOR", "ROUGE_L", "CIDEr")


@dataclass(frozen=True, eq=False)
class DvcScores:
    """Fractions by metric: `per_video[metric]` is (thresholds, videos); METEOR is missing when it was left out."""

    per_video: dict[str, Floats]

    def mean(self, metric: str) -> float | None:
        """Mean over videos, then over thresholds."""
        values = self.per_video.get(metric)
        return None if values is None else float(values.mean(axis=1).mean())


class DvcPairs:
    """The caption pairs of all videos for one garbage string. The last reference of each video is the garbage."""

    def __init__(self, videos: Sequence[Video], pairing: Pairing, garbage: str) -> None:
        truth = [[ptb_tokens(sentence) for sentence in video.truth.sentences] for video in videos]
        nonsense = ptb_tokens(garbage)
        references = [tokens for sentences in truth for tokens in (*sentences, nonsense)]
        hypotheses = [
            ptb_tokens(sentence)
            for video in videos
            for sentence in (video.predicted.sentences if video.predicted is not None else ())
        ]
        everywhere = np.arange(pairing.videos)
        # Each video has one reference more than true events, so later events move up by the number of videos before.
        moved = pairing.pair_truth + pairing.truth_video[pairing.pair_truth]
        garbage_at = np.cumsum(pairing.truth_count + 1) - 1
        pair_reference = np.concatenate([moved, garbage_at[pairing.predicted_video]])
        pair_hypothesis = np.concatenate([pairing.pair_predicted, np.arange(len(hypotheses))])
        order = np.lexsort((pair_hypothesis, pair_reference))
        self.pair_reference: Ints = pair_reference[order]
        self.pair_hypothesis: Ints = pair_hypothesis[order]
        self.tiou: Floats = np.concatenate([pairing.tiou, np.full(len(hypotheses), np.nan)])[order]
        self.references = [" ".join(tokens) for tokens in references]
        self.hypotheses = [" ".join(tokens) for tokens in hypotheses]
        self.listed = pairing.predicted_place < MAX_PROPOSALS
        self.videos = pairing.videos
        self.table = CaptionTable(
            references,
            hypotheses,
            np.repeat(everywhere, pairing.truth_count + 1),
            pairing.predicted_video,
            self.pair_reference,
            self.pair_hypothesis,
            pairing.videos,
        )

    def active(self, threshold: float) -> Bools:
        """Which pairs count at a threshold: close ones, and garbage for predictions that are close to nothing."""
        listed = self.listed[self.pair_hypothesis]
        close: Bools = (self.tiou >= threshold) & listed
        matched = np.zeros(len(self.listed), dtype=bool)
        matched[self.pair_hypothesis[close]] = True
        stray = np.isnan(self.tiou) & listed & ~matched[self.pair_hypothesis]
        return close | stray

    def ever_active(self) -> Bools:
        """Pairs that count at one threshold or another."""
        ever = np.zeros(len(self.tiou), dtype=bool)
        for threshold in THRESHOLDS:
            ever |= self.active(threshold)
        return ever


def dvc_eval(pairs: DvcPairs, meteor: MeteorTable | None) -> DvcScores:
    """Score all pairs at all thresholds."""
    table = pairs.table
    rouge = table.rouge(pairs.ever_active())
    rows: dict[str, list[Floats]] = {metric: [] for metric in METRICS if metric != "METEOR" or meteor is not None}
    for threshold in THRESHOLDS:
        active = pairs.active(threshold)
        group = table.pair_group[active]
        total = np.bincount(group, minlength=pairs.videos).astype(np.float64)
        bleu = table.bleu(active)
        for order in range(4):
            rows[f"BLEU{order + 1}"].append(bleu[:, order])
        copies = np.bincount(pairs.pair_reference[active], minlength=len(pairs.references)).astype(np.float64)
        cider = table.cider(table.idf_by_group("references", copies, total))
        for metric, values in (("ROUGE_L", rouge), ("CIDEr", cider)):
            rows[metric].append(sums(group, values[active], pairs.videos) / np.maximum(total, 1.0))
        if meteor is not None:
            rows["METEOR"].append(
                meteor.by_group(
                    [pairs.hypotheses[i] for i in pairs.pair_hypothesis[active]],
                    [pairs.references[i] for i in pairs.pair_reference[active]],
                    group,
                    pairs.videos,
                )
            )
    return DvcScores({metric: np.stack(values) for metric, values in rows.items()})
