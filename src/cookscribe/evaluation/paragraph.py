"""Paragraph scores: the whole recipe of a video as one text, all videos as one corpus.

As in the evaluation of MART: sentences in the order they are listed, letters only, lower case; a video without a
prediction is an empty text.
"""

import re
from collections.abc import Sequence

import numpy as np

from cookscribe.evaluation.captions import CaptionTable
from cookscribe.evaluation.events import Events, Video
from cookscribe.evaluation.meteor import MeteorTable, Pair

_NOT_LETTERS = re.compile(r"[^a-zA-Z]")


def paragraph(events: Events | None) -> str:
    """The sentences of a video as one text."""
    if events is None:
        return ""
    return " ".join(_NOT_LETTERS.sub(" ", " ".join(events.sentences)).lower().split())


def paragraph_pairs(videos: Sequence[Video]) -> list[Pair]:
    """(prediction, truth) of each video."""
    return [(paragraph(video.predicted), paragraph(video.truth)) for video in videos]


def paragraph_scores(videos: Sequence[Video], meteor: MeteorTable | None = None) -> dict[str, float | None]:
    """BLEU4, METEOR, CIDEr and ROUGE_L as fractions; METEOR is None when it was left out."""
    pairs = paragraph_pairs(videos)
    predicted, truth = [p.split() for p, _ in pairs], [t.split() for _, t in pairs]
    one_group = np.zeros(len(pairs), dtype=np.int64)
    each = np.arange(len(pairs))
    table = CaptionTable(truth, predicted, one_group, one_group, each, each, groups=1)
    everything = np.ones(len(pairs), dtype=bool)
    idf = table.idf_by_group("references", np.ones(len(pairs)), np.array([float(len(pairs))]))
    return {
        "BLEU4": float(table.bleu(everything)[0, 3]),
        "METEOR": None
        if meteor is None
        else float(meteor.by_group([p for p, _ in pairs], [t for _, t in pairs], one_group, 1)[0]),
        "CIDEr": float(table.cider(idf).mean()),
        "ROUGE_L": float(table.rouge(everything).mean()),
    }
