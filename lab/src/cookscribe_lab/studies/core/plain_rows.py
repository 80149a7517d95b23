"""The rows of the main table that no recipe model writes: plain choices, borrowed sentences, PDVC and the oracle."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from cookscribe.candidates import Candidates
from cookscribe.evaluation.events import Events
from cookscribe.evaluation.inputs import read_predictions
from cookscribe.files import write_json
from cookscribe.learning.nearest import NearestNeighbourCaptioner
from cookscribe.learning.proposals.comparison import baseline_predictions
from cookscribe.proposals.plain import suppressed
from cookscribe_lab.kitchen_features.probe import SentenceProbe
from cookscribe_lab.studies.core.settings import Setting
from cookscribe_lab.studies.core.variants import PREDICTIONS, Workshop, short_hash

SUPPRESSION = 0.3  # highest tIoU of two events that non-maximum suppression lets stand
UNIFORM, NMS, NEAREST, LINEAR, PDVC, COMPARABLE, ORACLE = (
    "uniform",
    "NMS",
    "nearest neighbour",
    "linear captioner",
    "PDVC",
    "PDVC comparable",
    "oracle",
)


@dataclass(frozen=True)
class PlainOutcome:
    """Scores of a choice, and the file with what it says."""

    report: dict[str, Any]
    predictions: Path

    @property
    def told(self) -> dict[str, Events]:
        """The recipes."""
        return read_predictions(self.predictions)


def plain_outcome(workshop: Workshop, setting: Setting, name: str) -> PlainOutcome:
    """One of the rows above, made or found."""
    mark = short_hash(name, setting.mark, setting.said)
    folder = workshop.options.parts / "plain" / f"{name.replace(' ', '-')}-{mark}"
    path = folder / PREDICTIONS
    if not path.is_file():
        write_json(path, as_results(_choose(setting, name)), indent=None)
    return PlainOutcome(workshop.report(setting, path), path)


def as_results(told: Mapping[str, Events]) -> dict[str, Any]:
    """Events by video in the format of the dense-captioning challenges."""
    return {
        "version": "VERSION 1.0",
        "results": {
            key: [
                {"sentence": sentence, "timestamp": span.tolist()}
                for span, sentence in zip(events.spans, events.sentences, strict=True)
            ]
            for key, events in told.items()
        },
        "external_data": {"used": True, "details": "cookscribe"},
    }


def _choose(setting: Setting, name: str) -> dict[str, Events]:
    if name in (NEAREST, LINEAR):
        return _borrowed(setting, _captioner(setting, name))
    known = {"oracle paper": ORACLE, "re-ranked": PDVC, "uniform": UNIFORM, f"NMS {SUPPRESSION:g}": NMS}
    captioned = {key: _with_captions(events) for key, events in setting.candidates.items()}
    found = baseline_predictions(setting.truth, captioned, threshold=SUPPRESSION)
    return next(choice.predictions for choice in found if known.get(choice.name) == name)


def _captioner(setting: Setting, name: str) -> Callable[[Any], list[str]]:
    videos = setting.material.videos.values()
    if name == NEAREST:
        return NearestNeighbourCaptioner.fit_videos(videos, setting.store).caption
    features = np.concatenate([setting.store.read(video.id).over(video.spans) for video in videos])
    return SentenceProbe.fit(features, [text for video in videos for text in video.sentences]).caption


def _borrowed(setting: Setting, caption: Callable[[Any], list[str]]) -> dict[str, Events]:
    """The events that NMS keeps, with sentences that were borrowed from training events."""
    told = {}
    for key, candidates in setting.candidates.items():
        chosen = suppressed(candidates, SUPPRESSION, None if candidates.count is not None else 8)
        told[key] = Events(np.asarray(chosen.spans, dtype=np.float64), tuple(caption(chosen.features)))
    return told


def _with_captions(candidates: Candidates) -> Candidates:
    """Candidates of a model without captions say nothing, with certainty; only their places count."""
    if candidates.captions is not None and candidates.caption_scores is not None:
        return candidates
    return replace(candidates, captions=("",) * len(candidates), caption_scores=np.zeros(len(candidates)))
