"""dvc_eval, the dense-captioning evaluation of the ActivityNet challenges, in its flavours of 2018 and 2021.

At each threshold every prediction is paired with every true event it overlaps enough (tIoU >= threshold), and a
prediction that overlaps none with a piece of garbage. The pairs of one video are scored as a little corpus of their
own, the scores are averaged over all videos of the truth (a video without predictions scores 0), then over the
thresholds.

The flavours differ in the garbage alone: `abc123!@#` in 2018, random letters in 2021. Only METEOR sees the difference:
it reads the first as four tokens, the second as one, and so punishes stray predictions less. Any letters that are no
word give the same value, so the 2021 flavour needs no random numbers here.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from cookscribe.evaluation.caption_pairs import CaptionPairs
from cookscribe.evaluation.captions import Floats
from cookscribe.evaluation.events import Video
from cookscribe.evaluation.grams import ORDERS, sums
from cookscribe.evaluation.meteor import MeteorTable
from cookscribe.evaluation.pairing import THRESHOLDS

Flavour = Literal["2018", "2021"]
FLAVOURS: tuple[Flavour, ...] = ("2018", "2021")
GARBAGE: dict[Flavour, str] = {"2018": "abc123!@#", "2021": "qzvxkjwqpzxjvq"}
METRICS = ("BLEU1", "BLEU2", "BLEU3", "BLEU4", "METEOR", "ROUGE_L", "CIDEr")


@dataclass(frozen=True, eq=False)
class DvcScores:
    """Fractions by metric: `per_video[metric]` is (thresholds, videos). METEOR is not there when it was left out."""

    per_video: dict[str, Floats]

    def mean(self, metric: str) -> float | None:
        """Mean over videos, then over thresholds; None for METEOR left out."""
        values = self.per_video.get(metric)
        return None if values is None else float(values.mean(axis=1).mean())


def dvc_eval(
    videos: Sequence[Video], pairs: CaptionPairs, meteor: MeteorTable | None = None
) -> dict[Flavour, DvcScores]:
    """Both flavours. `pairs` holds the garbage of 2018."""
    counted = _counted(pairs)
    result: dict[Flavour, DvcScores] = {}
    for flavour in FLAVOURS:
        if flavour == "2021" and pairs.garbage_is_said:
            counted = _counted(CaptionPairs(videos, pairs.pairing, GARBAGE[flavour]))
        rows = dict(counted)
        if meteor is not None:
            rows["METEOR"] = _aligned(pairs, flavour, meteor)
        result[flavour] = DvcScores(rows)
    return result


def meteor_questions(pairs: CaptionPairs) -> list[tuple[str, str]]:
    """All (hypothesis, reference) pairs that METEOR will be asked about."""
    return [
        question
        for flavour in FLAVOURS
        for question in zip(*pairs.texts(pairs.ever_active, GARBAGE[flavour]), strict=True)
    ]


def _counted(pairs: CaptionPairs) -> dict[str, Floats]:
    """The scores that count words."""
    table, videos = pairs.table, pairs.pairing.videos
    rouge = table.rouge(pairs.ever_active)
    rows: dict[str, list[Floats]] = {metric: [] for metric in METRICS if metric != "METEOR"}
    for threshold in THRESHOLDS:
        active = pairs.active(threshold)
        group = table.pair_group[active]
        total = np.bincount(group, minlength=videos).astype(np.float64)
        bleu = table.bleu(active)
        for order in range(ORDERS):
            rows[f"BLEU{order + 1}"].append(bleu[:, order])
        # A true sentence that is paired several times counts as several documents.
        copies = np.bincount(pairs.pair_reference[active], minlength=len(pairs.references)).astype(np.float64)
        cider = table.cider(table.idf_by_group("references", copies, total))
        for metric, values in (("ROUGE_L", rouge), ("CIDEr", cider)):
            rows[metric].append(sums(group, values[active], videos) / np.maximum(total, 1.0))
    return {metric: np.stack(values) for metric, values in rows.items()}


def _aligned(pairs: CaptionPairs, flavour: Flavour, meteor: MeteorTable) -> Floats:
    """(thresholds, videos) METEOR of each video's pairs taken together."""
    rows = []
    for threshold in THRESHOLDS:
        active = pairs.active(threshold)
        hypotheses, references = pairs.texts(active, GARBAGE[flavour])
        rows.append(meteor.by_group(hypotheses, references, pairs.table.pair_group[active], pairs.pairing.videos))
    return np.stack(rows)
