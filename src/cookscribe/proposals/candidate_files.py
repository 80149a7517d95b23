"""PDVC candidate files in the released format, read and written.

`{"results": {"v_<id>": [{"timestamp", "proposal_score", "sentence", "sentence_score", "vid_duration",
"pred_event_count", ...}]}, "version", "external_data"}`, each video's list sorted by `proposal_score`.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import Field, TypeAdapter

from cookscribe.candidates import Candidates
from cookscribe.errors import BadFileError, BadValueError
from cookscribe.files import write_json
from cookscribe.validation import Published, Seconds, Segment, bare_ids, checked_json

# Published times are float32, durations too; a border may stand this far outside the video and is moved inside.
TOLERANCE = 0.1


class _Event(Published):
    timestamp: Segment
    proposal_score: float
    sentence: str | None = None
    sentence_score: float | None = None
    vid_duration: Seconds | None = None
    pred_event_count: float | None = None


class _Empty(Published):
    duration: Seconds
    count: float | None = None


class _File(Published):
    results: dict[str, list[_Event]]
    # Not in the released format, which has no place for a video without candidates; other readers pass over it.
    empty_videos: dict[str, _Empty] = Field(default_factory=dict)


_FILE = TypeAdapter(_File)


def read_candidates(path: Path, durations: Mapping[str, float] | None = None) -> dict[str, Candidates]:
    """Candidates by bare video id.

    Args:
        path: the candidate file.
        durations: seconds by bare id, for files (or videos) that do not give `vid_duration`; where both are known,
            these win, because the released durations are rounded to float32.
    """
    file = checked_json(path, _FILE, "a PDVC candidate file")
    ids = bare_ids(file.results, path)
    found: dict[str, Candidates] = {}
    for key, events in file.results.items():
        video_id = ids[key]
        duration, count = _shared(path, video_id, events, file.empty_videos.get(key))
        if durations is not None and video_id in durations:
            duration = durations[video_id]
        if duration is None:
            raise BadFileError(path, f"{video_id} has no vid_duration", "name a truth file that gives the durations")
        found[video_id] = _candidates(path, video_id, events, float(duration), count)
    return found


def _shared(path: Path, video_id: str, events: list[_Event], empty: _Empty | None) -> tuple[float | None, float | None]:
    """Duration and expected count of a video, which the format repeats in every event."""
    if not events:
        return (None, None) if empty is None else (empty.duration, empty.count)
    pairs = {(event.vid_duration, event.pred_event_count) for event in events}
    if len(pairs) > 1:
        raise BadFileError(path, f"the events of {video_id} disagree about its duration or event count")
    return pairs.pop()


def _candidates(path: Path, video_id: str, events: list[_Event], duration: float, count: float | None) -> Candidates:
    spans = np.array([event.timestamp for event in events], dtype=np.float64).reshape(-1, 2)
    if (spans > duration + TOLERANCE).any():
        raise BadFileError(path, f"{video_id} has an event after the end of the video ({duration} s)")
    sentences = [event.sentence for event in events]
    sentence_scores = [event.sentence_score for event in events]
    try:
        return Candidates(
            spans=np.minimum(spans, duration),
            scores=np.array([event.proposal_score for event in events], dtype=np.float64),
            duration=duration,
            captions=None if None in sentences else tuple(str(sentence) for sentence in sentences),
            caption_scores=None if None in sentence_scores else np.array(sentence_scores, dtype=np.float64),
            count=count,
        )
    except BadValueError as error:
        raise BadFileError(path, f"{video_id}: {error.cause}") from None


def write_candidates(path: Path, candidates: Mapping[str, Candidates]) -> None:
    """Write candidates by bare video id in the released format. Features are not part of it."""
    results: dict[str, list[dict[str, Any]]] = {}
    empty: dict[str, dict[str, float | None]] = {}
    for video_id, events in candidates.items():
        key = f"v_{video_id}"
        results[key] = _entries(events)
        if not len(events):
            empty[key] = {"duration": float(events.duration), "count": events.count}
    content: dict[str, Any] = {
        "version": "VERSION 1.0",
        "results": results,
        "external_data": {"used": False, "details": None},
        "valid_video_num": len(results),
        "avg_proposal_num": float(np.mean([len(events) for events in results.values()])) if results else 0.0,
    }
    if empty:
        content["empty_videos"] = empty
    write_json(path, content, indent=None)


def _entries(events: Candidates) -> list[dict[str, Any]]:
    entries = []
    for n in np.argsort(-events.scores, kind="stable"):
        span = events.spans[n].tolist()
        entry: dict[str, Any] = {"timestamp": span, "raw_box": span, "proposal_score": float(events.scores[n])}
        if events.captions is not None:
            entry["sentence"] = events.captions[n]
        if events.caption_scores is not None:
            entry["sentence_score"] = float(events.caption_scores[n])
        entry |= {"query_id": int(n), "vid_duration": float(events.duration)}
        if events.count is not None:
            entry["pred_event_count"] = events.count
        entries.append(entry)
    return entries
