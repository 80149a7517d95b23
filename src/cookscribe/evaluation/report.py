"""All scores of one prediction in one value, and the function that computes them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cookscribe.evaluation.caption_pairs import CaptionPairs
from cookscribe.evaluation.counts import Counts, event_counts
from cookscribe.evaluation.dvc_eval import FLAVOURS, GARBAGE, METRICS, DvcScores, Flavour, dvc_eval, meteor_questions
from cookscribe.evaluation.events import Events, align, unknown_videos
from cookscribe.evaluation.ingredient_score import IngredientScore, ingredient_score
from cookscribe.evaluation.localisation import Localisation, localisation
from cookscribe.evaluation.meteor import MeteorTable
from cookscribe.evaluation.pairing import Pairing, pair_videos
from cookscribe.evaluation.paragraph import paragraph_pairs, paragraph_scores
from cookscribe.evaluation.repetition import repetition
from cookscribe.evaluation.soda import SODA_FLAVOURS, SodaFlavour, SodaScorer, mean_story, pair_texts, soda_scores

SODA_SCORERS: tuple[SodaScorer, ...] = ("METEOR", "CIDEr", "tIoU")


@dataclass(frozen=True, eq=False)
class Report:
    """Scores as fractions; `as_json` gives percentages.

    Attributes:
        videos: ids of the truth, sorted.
        missing: those without a single predicted event.
        unknown: predicted videos that are not in the truth and were not scored.
        dvc: dvc_eval by flavour.
        soda: (V,) F1 of each video by flavour and scorer.
    """

    videos: tuple[str, ...]
    missing: tuple[str, ...]
    unknown: tuple[str, ...]
    dvc: dict[Flavour, DvcScores]
    localisation: Localisation
    soda: dict[SodaFlavour, dict[SodaScorer, NDArray[np.float64]]]
    paragraph: dict[str, float | None]
    repetition: float
    counts: Counts
    ingredients: IngredientScore | None
    pairing: Pairing

    def soda_mean(self, flavour: SodaFlavour, scorer: SodaScorer) -> float | None:
        """Mean over the videos the flavour counts; None for METEOR left out."""
        values = self.soda[flavour].get(scorer)
        return None if values is None else mean_story(self.pairing, values, flavour)

    def soda_videos(self, flavour: SodaFlavour) -> int:
        """How many videos the flavour's mean is over."""
        return len(self.videos) - (len(self.missing) if flavour == "released" else 0)

    def as_json(self) -> dict[str, Any]:
        """The report file: percentages (x 100), except for numbers of videos and events. METEOR left out is null."""
        place, counts = self.localisation, self.counts
        return {
            "videos": {
                "truth": len(self.videos),
                "predicted": len(self.videos) - len(self.missing),
                "missing": list(self.missing),
            },
            "dvc_eval": {
                flavour: {metric: _percent(self.dvc[flavour].mean(metric)) for metric in METRICS}
                for flavour in FLAVOURS
            },
            "localisation": {
                **_precision_recall(place),
                "per_tiou": {
                    str(threshold): {"precision": _percent(precision), "recall": _percent(recall)}
                    for threshold, (precision, recall) in place.per_tiou.items()
                },
            },
            "soda": {
                flavour: {scorer: _percent(self.soda_mean(flavour, scorer)) for scorer in SODA_SCORERS}
                for flavour in SODA_FLAVOURS
            },
            "paragraph": {metric: _percent(value) for metric, value in self.paragraph.items()},
            "repetition": {"R@4": _percent(self.repetition)},
            "counts": {
                "within": {str(bound): _percent(share) for bound, share in counts.within.items()},
                "mean_predicted": counts.mean_predicted,
                "mean_truth": counts.mean_truth,
                "histogram": {
                    "predicted": {str(events): videos for events, videos in counts.predicted.items()},
                    "truth": {str(events): videos for events, videos in counts.truth.items()},
                },
            },
            "ingredients": _precision_recall(self.ingredients),
        }


def _precision_recall(score: Localisation | IngredientScore | None) -> dict[str, float | None]:
    return {name: _percent(getattr(score, name, None)) for name in ("precision", "recall", "f1")}


def _percent(value: float | None) -> float | None:
    return None if value is None else 100.0 * value


def figure_at(report: Mapping[str, Any], place: Sequence[str]) -> float | None:
    """The figure of a report as `Report.as_json` gives it, by the keys that lead to it; None for one left out."""
    value: Any = report
    for key in place:
        value = value[key]
    return None if value is None else float(value)


def evaluate(
    truth: Mapping[str, Events],
    predictions: Mapping[str, Events],
    *,
    meteor: bool | MeteorTable = True,
    ingredients: Mapping[str, Sequence[str]] | None = None,
) -> Report:
    """Score predictions against the truth.

    Args:
        truth: true events by video id, with or without `v_` before every id.
        predictions: predicted events by video id, likewise.
        meteor: False leaves Java out and METEOR None. A table keeps what METEOR has answered, for the next report.
        ingredients: ingredient lists by bare video id.
    """
    videos = align(truth, predictions)
    pairing = pair_videos(videos)
    pairs = CaptionPairs(videos, pairing, GARBAGE["2018"])
    table = meteor if isinstance(meteor, MeteorTable) else MeteorTable() if meteor else None
    if table is not None:
        # All questions at once: each distinct pair goes to Java once, and a caption too long for it is known first.
        questions = [*paragraph_pairs(videos), *meteor_questions(pairs)]
        for flavour in SODA_FLAVOURS:
            questions += zip(*pair_texts(pairs, flavour), strict=True)
        table.ask(questions)
    return Report(
        videos=tuple(video.id for video in videos),
        missing=tuple(video.id for video in videos if not video.count),
        unknown=tuple(unknown_videos(truth, predictions)),
        dvc=dvc_eval(videos, pairs, table),
        localisation=localisation(pairing),
        soda={flavour: soda_scores(pairs, flavour, table) for flavour in SODA_FLAVOURS},
        paragraph=paragraph_scores(videos, table),
        repetition=repetition(videos),
        counts=event_counts(videos),
        ingredients=None if ingredients is None else ingredient_score(videos, ingredients),
        pairing=pairing,
    )
