"""The plain choices from one candidate file side by side, as predictions that the evaluation reads."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from cookscribe.candidates import Candidates
from cookscribe.errors import BadValueError
from cookscribe.evaluation.events import Events
from cookscribe.learning.datasets.oracle import OracleRule, oracle_labels
from cookscribe.proposals.plain import reranked, suppressed, top, uniform, wanted_count, with_nearest_captions
from cookscribe.validation import bare_ids


@dataclass(frozen=True, eq=False)
class Baseline:
    """A named choice of events for every video. `sees_truth` marks the oracles."""

    name: str
    sees_truth: bool
    predictions: dict[str, Events]


def baseline_predictions(
    truth: Mapping[str, Events], candidates: Mapping[str, Candidates], *, threshold: float = 0.3, count: int = 8
) -> list[Baseline]:
    """All baselines over the videos that have candidates.

    Args:
        truth: true events by video id.
        candidates: candidates by bare video id. Without captions all sentences are empty, and re-ranking is left out;
            without an expected count the constant one stands in for it.
        threshold: highest tIoU that suppression lets stand.
        count: the constant number of events.
    """
    keys = {bare: key for key, bare in bare_ids(truth).items()}
    known = {bare: candidates[bare] for bare in sorted(keys) if bare in candidates}
    if not known:
        raise BadValueError("candidates", "not one video with candidates is in the truth", "check the split")
    captioned = {bare: _captioned(events) for bare, events in known.items()}

    def predict(choose: Callable[[Candidates], Candidates]) -> dict[str, Events]:
        return {keys[bare]: _events(choose(events)) for bare, events in captioned.items()}

    def oracle(rule: OracleRule) -> dict[str, Events]:
        predictions = {}
        for bare, events in captioned.items():
            labels = oracle_labels(truth[keys[bare]].by_start().spans, events.spans, rule)
            predictions[keys[bare]] = _events(events.take(labels[labels >= 0]))
        return predictions

    def segments(events: Candidates) -> Candidates:
        return with_nearest_captions(uniform(events.duration, _expected(events, count)), events)

    found = [Baseline("oracle paper", True, oracle("paper")), Baseline("oracle story", True, oracle("story"))]
    if all(events.captions is not None and events.caption_scores is not None for events in known.values()):
        found.append(Baseline("re-ranked", False, predict(lambda c: reranked(c, _expected(c, count)))))
    return [
        *found,
        Baseline("top-K", False, predict(lambda c: top(c, _expected(c, count)))),
        Baseline(f"NMS {threshold:g}", False, predict(lambda c: suppressed(c, threshold, _expected(c, count)))),
        Baseline(f"NMS {threshold:g} K={count}", False, predict(lambda c: suppressed(c, threshold, count))),
        Baseline("uniform", False, predict(segments)),
        Baseline("everything", False, predict(lambda c: c)),
    ]


def _expected(candidates: Candidates, count: int) -> int:
    return count if candidates.count is None else wanted_count(candidates)


def _captioned(candidates: Candidates) -> Candidates:
    if candidates.captions is not None:
        return candidates
    return replace(candidates, captions=("",) * len(candidates))


def _events(candidates: Candidates) -> Events:
    return Events(np.asarray(candidates.spans, dtype=np.float64), candidates.captions or ())
