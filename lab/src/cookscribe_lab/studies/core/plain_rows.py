"""The rows of the main table that no recipe model writes: plain choices, borrowed sentences, PDVC and the oracle."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from cookscribe.candidates import Candidates
from cookscribe.evaluation.events import Events
from cookscribe.learning.proposals.comparison import baseline_predictions
from cookscribe.proposals.plain import suppressed
from cookscribe_lab.kitchen_features.probe import SentenceProbe
from cookscribe_lab.nearest import NearestNeighbourCaptioner
from cookscribe_lab.studies.core.report import short_hash
from cookscribe_lab.studies.core.study_data import StudyData
from cookscribe_lab.studies.core.variants import PREDICTIONS, Scored, VariantRunner, write_recipes

SUPPRESSION = 0.3  # highest tIoU of two events that non-maximum suppression lets stand
UNIFORM, NMS, NEAREST, LINEAR = "uniform", "NMS", "nearest neighbour", "linear captioner"
PDVC, COMPARABLE, ORACLE = "PDVC", "PDVC comparable", "oracle"


def plain_outcome(runner: VariantRunner, data: StudyData, name: str) -> Scored:
    """One of the rows above, made or found."""
    mark = short_hash(name, data.mark, data.said)
    folder = runner.options.parts / "plain" / f"{name.replace(' ', '-')}-{mark}"
    path = folder / PREDICTIONS
    if not path.is_file():
        write_recipes(path, _choose(data, name))
    return Scored(runner.report(data, path), path)


def _choose(data: StudyData, name: str) -> dict[str, Events]:
    if name in (NEAREST, LINEAR):
        return _borrowed(data, captioner(data, name))
    known = {"oracle paper": ORACLE, "re-ranked": PDVC, "uniform": UNIFORM, f"NMS {SUPPRESSION:g}": NMS}
    captioned = {key: _with_captions(events) for key, events in data.candidates.items()}
    found = baseline_predictions(data.truth, captioned, threshold=SUPPRESSION)
    return next(choice.predictions for choice in found if known.get(choice.name) == name)


def captioner(data: StudyData, name: str) -> Callable[[Any], list[str]]:
    """From features to sentences of training events, by the nearest neighbour or by a linear probe."""
    videos = data.material.videos.values()
    if name == NEAREST:
        return NearestNeighbourCaptioner.fit_videos(videos, data.store).caption
    features = np.concatenate([data.store.read(video.id).over(video.spans) for video in videos])
    return SentenceProbe.fit(features, [text for video in videos for text in video.sentences]).caption


def _borrowed(data: StudyData, caption: Callable[[Any], list[str]]) -> dict[str, Events]:
    """The events that NMS keeps, with sentences that were borrowed from training events."""
    told = {}
    for key, candidates in data.candidates.items():
        chosen = suppressed(candidates, SUPPRESSION, None if candidates.count is not None else 8)
        told[key] = Events(np.asarray(chosen.spans, dtype=np.float64), tuple(caption(chosen.features)))
    return told


def _with_captions(candidates: Candidates) -> Candidates:
    """Candidates of a model without captions say nothing, with certainty; only their places count."""
    if candidates.captions is not None and candidates.caption_scores is not None:
        return candidates
    return replace(candidates, captions=("",) * len(candidates), caption_scores=np.zeros(len(candidates)))
