"""How good candidates are: what a perfect chooser could make of them, and what the model makes of them itself."""

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from cookscribe.candidates import Candidates, tiou_matrix
from cookscribe.errors import BadValueError
from cookscribe.evaluation.soda import soda_tiou
from cookscribe.learning.datasets.oracle import oracle_labels
from cookscribe.proposals.pdvc.config import ProposalConfig
from cookscribe.proposals.plain import rerank, reranked, suppressed, top, uniform

Spans = NDArray[np.floating]


def localisation(
    found: Mapping[str, Candidates], truth: Mapping[str, Spans], config: ProposalConfig
) -> dict[str, float]:
    """Figures of candidates by video id against true spans; videos without a true event are left out.

    Returns:
        SODA tIoU x 100 of `oracle` (the best story a perfect chooser could pick), `answer` (the model's own: ranked as
        its configuration says), and for comparison `top` (best class scores), `nms` (threshold 0.3), `uniform` (8 equal
        segments) and, with captions, `published` (PDVC's re-ranking). `score` is the mean of oracle and answer, by
        which weights are chosen. `recall`: share of true events with a candidate of tIoU above 0.5, in percent. Of the
        expected count: `count_correlation`, `count_error` (mean, absolute) and `count_highest`.
    """
    ids = sorted(video_id for video_id in truth if len(truth[video_id]) and video_id in found)
    if not ids:
        raise BadValueError("candidates", "not one annotated video has candidates", "check the split")
    spans = {video_id: np.asarray(truth[video_id], dtype=np.float64) for video_id in ids}

    def soda(choose: Callable[[str, Candidates], Spans]) -> float:
        return soda_tiou(spans, {video_id: choose(video_id, found[video_id]) for video_id in ids})

    def perfect(video_id: str, candidates: Candidates) -> Spans:
        labels = oracle_labels(spans[video_id], candidates.spans, "story")
        return np.asarray(candidates.spans[labels[labels >= 0]], dtype=np.float64)

    figures = {
        "oracle": soda(perfect),
        "answer": soda(lambda _, c: rerank(c, alpha=config.rank_alpha, overlap=config.rank_overlap).spans),
        "top": soda(lambda _, c: top(c).spans),
        "nms": soda(lambda _, c: suppressed(c, 0.3).spans),
        "uniform": soda(lambda _, c: uniform(c.duration, 8).spans),
    }
    if all(found[video_id].caption_scores is not None for video_id in ids):
        figures["published"] = soda(lambda _, c: reranked(c).spans)
    best = np.concatenate([tiou_matrix(spans[key], found[key].spans).max(axis=1, initial=0.0) for key in ids])
    counts = np.array([found[key].count or 0.0 for key in ids])
    true = np.array([len(spans[key]) for key in ids], dtype=np.float64)
    varied = counts.std() > 0 and true.std() > 0
    return {
        "score": (figures["oracle"] + figures["answer"]) / 2,
        **figures,
        "recall": 100 * float((best > 0.5).mean()),
        "count_correlation": float(np.corrcoef(counts, true)[0, 1]) if varied else 0.0,
        "count_error": float(np.abs(counts.round() - true).mean()),
        "count_highest": float(counts.max()),
    }
