"""Candidates with their features in one safetensors file: our own format beside the released one.

Spans, scores and features are tensors; captions, counts and durations lie in the header as JSON.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from cookscribe.candidates import Candidates
from cookscribe.errors import BadFileError, BadValueError, MissingFileError
from cookscribe.files import replacing

FORMAT = "cookscribe-candidates-1"
ARRAYS = {"spans": np.float64, "scores": np.float64, "caption_scores": np.float64, "features": np.float16}


def write_candidate_store(path: Path, candidates: Mapping[str, Candidates], about: Mapping[str, Any]) -> None:
    """Write candidates by video id; `about` says how they were made and is kept as it is."""
    arrays: dict[str, NDArray[Any]] = {}
    entries: dict[str, dict[str, Any]] = {}
    for video_id, events in candidates.items():
        entries[video_id] = {"duration": events.duration, "count": events.count, "captions": events.captions}
        for name, kind in ARRAYS.items():
            values = getattr(events, name)
            if values is not None:
                arrays[f"{name}:{video_id}"] = np.ascontiguousarray(values, dtype=kind)
    header = {"format": FORMAT, "about": json.dumps(dict(about)), "videos": json.dumps(entries, allow_nan=False)}
    with replacing(path) as temporary:
        # Not the library's own writer: it replaces the file by one that only its owner may read.
        temporary.write_bytes(save(arrays, metadata=header))


def read_candidate_store(path: Path) -> tuple[dict[str, Candidates], dict[str, Any]]:
    """Candidates by video id, and what was said about them."""
    path = Path(path)
    if not path.is_file():
        raise MissingFileError(path, "no such candidate file", "run `cookscribe propose` first, or check the path")
    try:
        with safe_open(path, framework="numpy") as file:
            header = file.metadata() or {}
            if header.get("format") != FORMAT:
                raise BadFileError(path, "is not a candidate file", f"its format should be {FORMAT}")
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (not a mapping)
        entries, about = json.loads(header["videos"]), json.loads(header["about"])
        found = {
            video_id: Candidates(
                spans=arrays[f"spans:{video_id}"],
                scores=arrays[f"scores:{video_id}"],
                duration=float(entry["duration"]),
                captions=None if entry["captions"] is None else tuple(map(str, entry["captions"])),
                caption_scores=arrays.get(f"caption_scores:{video_id}"),
                features=arrays.get(f"features:{video_id}"),
                count=None if entry["count"] is None else float(entry["count"]),
            )
            for video_id, entry in entries.items()
        }
    except BadValueError as error:
        raise BadFileError(path, error.cause, "write the candidates again") from None
    except (SafetensorError, OSError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise BadFileError(path, f"is damaged: {error}", "write the candidates again") from None
    return found, about
