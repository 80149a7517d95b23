"""Scores of sentences for single steps, and whether one row of them is better than another, paired over videos."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cookscribe.evaluation.captions import CaptionTable
from cookscribe.evaluation.events import Events, Video
from cookscribe.evaluation.ingredient_score import ingredient_counts
from cookscribe.evaluation.meteor import MeteorTable
from cookscribe.text.tokens import ptb_tokens
from cookscribe_lab.studies.core.report import drawn_videos, markdown_table, middle_95

Floats = NDArray[np.float64]
CIDER, METEOR, INGREDIENTS = "CIDEr-D", "METEOR", "ingredient F1"


@dataclass(frozen=True)
class Step:
    """A true step: its video, its number there from 0, its sentence, and the video's ingredients."""

    video_id: str
    number: int
    sentence: str
    ingredients: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class SentenceScores:
    """Scores of V videos' sentences, x 100.

    Attributes:
        sums: (V,) sums over a video's sentences of CIDEr-D and, if it was asked, METEOR; by heading.
        counts: (V,) sentences; named: (V, 3) ingredients named rightly, named, and to be named.
    """

    sums: Mapping[str, Floats]
    counts: Floats
    named: Floats

    def over(self, videos: NDArray[np.int64]) -> dict[str, Floats]:
        """Every figure for (D, V) numbers of videos: (D,) each."""
        counts = self.counts[videos].sum(axis=1)
        found = {name: values[videos].sum(axis=1) / counts for name, values in self.sums.items()}
        hits, guessed, wanted = np.moveaxis(self.named[videos].sum(axis=1), -1, 0)
        # 2 PR / (P + R) of pooled counts; 0 where nothing was named and nothing was to be.
        found[INGREDIENTS] = 200.0 * hits / np.maximum(guessed + wanted, 1.0)
        return found

    def figures(self) -> dict[str, float]:
        """Every figure over all videos."""
        return {name: float(value[0]) for name, value in self.over(np.arange(len(self.counts))[None]).items()}


def cider(truth: Sequence[str], told: Sequence[str]) -> Floats:
    """(N,) CIDEr-D of each pair; n-grams weigh by how few of the true sentences have them."""
    references, hypotheses = ([ptb_tokens(text) for text in texts] for texts in (truth, told))
    one_group, each = np.zeros(len(truth), dtype=np.int64), np.arange(len(truth))
    table = CaptionTable(references, hypotheses, one_group, one_group, each, each, groups=1)
    return table.cider(table.idf_by_group("references", np.ones(len(truth)), np.array([float(len(truth))])))


def scored(steps: Sequence[Step], sentences: Sequence[str], meteor: MeteorTable | None) -> SentenceScores:
    """Score a sentence for each step."""
    values = {CIDER: cider([step.sentence for step in steps], sentences)}
    if meteor is not None:
        told, truth = ([" ".join(ptb_tokens(one)) for one in some] for some in (sentences, [s.sentence for s in steps]))
        values[METEOR] = meteor.each(told, truth)
    # Each step is judged by itself: the right food in the wrong step is wrong.
    keys = [f"{n} of {step.video_id}" for n, step in enumerate(steps)]
    moment = np.array([[0.0, 1.0]])
    videos = [
        Video(key, Events(moment, (step.sentence,)), Events(moment, (text,)))
        for key, step, text in zip(keys, steps, sentences, strict=True)
    ]
    named = ingredient_counts(videos, {key: step.ingredients for key, step in zip(keys, steps, strict=True)})
    ids = {video_id: n for n, video_id in enumerate(dict.fromkeys(step.video_id for step in steps))}
    video = np.array([ids[step.video_id] for step in steps])

    def by_video(rows: NDArray[np.generic]) -> Floats:
        total = np.zeros((len(ids), *rows.shape[1:]))
        np.add.at(total, video, rows)
        return total

    return SentenceScores(
        {name: by_video(100.0 * rows) for name, rows in values.items()}, by_video(np.ones(len(steps))), by_video(named)
    )


def compared(
    rows: Mapping[str, SentenceScores], pairs: Sequence[tuple[str, str]]
) -> tuple[str, list[dict[str, object]]]:
    """How much the first row of each pair is above the second: a table, and the figures."""
    lines, figures = [], []
    for better, worse in pairs:
        line = {"is the first better?": f"{better} over {worse}"}
        drawn = drawn_videos(len(rows[better].counts))
        apart = {name: value - rows[worse].figures()[name] for name, value in rows[better].figures().items()}
        first, second = rows[better].over(drawn), rows[worse].over(drawn)
        for name, difference in apart.items():
            low, high = middle_95(first[name] - second[name])
            verdict = "yes" if low > 0 else "worse" if high < 0 else "not certain"
            line[name] = f"{difference:+.1f} ({low:+.1f} to {high:+.1f}): {verdict}"
            figures.append(
                {"first": better, "second": worse, "figure": name, "mean": difference, "interval": [low, high]}
            )
        lines.append(line)
    return markdown_table(lines), figures
