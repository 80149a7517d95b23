"""The SVPC files: YouCook2 cut anew, with ingredients aligned to steps and actions per step, both by word matching."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pydantic import TypeAdapter

from cookscribe.errors import BadFileError
from cookscribe.learning.datasets.records import AnnotatedVideo
from cookscribe.learning.datasets.youcook2 import TruthEntry
from cookscribe.validation import checked_json


@dataclass(frozen=True, eq=False)
class AlignedVideo:
    """A video with word-matched labels: distant supervision, not human annotation.

    Attributes:
        video: the video with its T steps and K ingredients.
        alignment: (T, K) True where the file marks ingredient k in step t.
        actions: per step the verbs the file names, in its order.
        action_ids: per step the positions of those verbs in the action list.
    """

    video: AnnotatedVideo
    alignment: NDArray[np.bool_]
    actions: tuple[tuple[str, ...], ...]
    action_ids: tuple[tuple[int, ...], ...]


class _Entry(TruthEntry):
    alignment: list[list[int]]
    action: list[dict[str, int]]


_FILE = TypeAdapter(dict[str, _Entry])


def read_svpc(path: Path, verbs: Sequence[str] | None = None) -> dict[str, AlignedVideo]:
    """Videos by id, with their alignments and actions.

    Args:
        path: a file in the published SVPC format.
        verbs: the action list; when given, every verb must stand at the position the file says.
    """
    entries = checked_json(path, _FILE, "an SVPC file with alignments and actions")
    return {video_id: _aligned(path, video_id, entry, verbs) for video_id, entry in entries.items()}


def _aligned(path: Path, video_id: str, entry: _Entry, verbs: Sequence[str] | None) -> AlignedVideo:
    steps, names = len(entry.sentences), len(entry.ingredients)
    if len(entry.alignment) != steps or len(entry.action) != steps:
        raise BadFileError(path, f"{video_id} does not have an alignment and an action entry for each step")
    if any(len(row) != names or not {0, 1} >= set(row) for row in entry.alignment):
        raise BadFileError(path, f"the alignment of {video_id} is not 0 or 1 for each of {names} ingredients")
    starts = [start for start, _ in entry.timestamps]
    if starts != sorted(starts):
        raise BadFileError(path, f"the steps of {video_id} are not in order, so its labels cannot be assigned")
    for actions in entry.action:
        for verb, number in actions.items():
            if verbs is not None and not (0 <= number < len(verbs) and verbs[number] == verb):
                raise BadFileError(path, f"{video_id} gives {verb!r} the number {number}, the action list does not")
    return AlignedVideo(
        video=entry.video(path, video_id),
        alignment=np.array(entry.alignment, dtype=bool).reshape(steps, names),
        actions=tuple(tuple(actions) for actions in entry.action),
        action_ids=tuple(tuple(actions.values()) for actions in entry.action),
    )
