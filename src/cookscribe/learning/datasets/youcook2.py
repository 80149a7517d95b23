"""The YouCook2 annotation files as published, and ActivityNet-style truth files, into `AnnotatedVideo`s.

All readers return videos by bare id in the order of the file, and keep sentences letter by letter.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from pydantic import Field, TypeAdapter

from cookscribe.errors import BadFileError, BadValueError
from cookscribe.files import read_text, write_json
from cookscribe.learning.datasets.records import AnnotatedVideo
from cookscribe.validation import Published, Seconds, Segment, bare_ids, checked_json, csv_rows


class _Step(Published):
    segment: Segment
    sentence: str


class _Entry(Published):
    duration: Seconds
    subset: str = ""
    recipe_type: str = ""
    annotations: list[_Step] = Field(default_factory=list)
    ingredients: list[str] = Field(default_factory=list)
    ner: list[list[str]] | None = None


class _Annotations(Published):
    database: dict[str, _Entry]


class TruthEntry(Published):
    """One video of an ActivityNet-style file."""

    duration: Seconds
    timestamps: list[Segment]
    sentences: list[str]
    ingredients: list[str] = Field(default_factory=list)

    def video(self, path: Path, video_id: str, split: str = "") -> AnnotatedVideo:
        """The checked video; `path` is named when something is wrong."""
        return _video(
            path, video_id, self.duration, self.timestamps, self.sentences, ingredients=self.ingredients, split=split
        )


_ANNOTATIONS = TypeAdapter(_Annotations)
_TRUTH = TypeAdapter(dict[str, TruthEntry])


@dataclass(frozen=True)
class Tag:
    """A phrase of a sentence and its class: F food, T tool, Q quantity, D duration, Ac/Ac2/Af actions, Sf/St states."""

    text: str
    label: str


def read_annotations(path: Path) -> dict[str, AnnotatedVideo]:
    """Read the published YouCook2 file, or the one extended by ingredients: `{"database": {id: {...}}}`."""
    database = checked_json(path, _ANNOTATIONS, "a YouCook2 annotation file").database
    return {
        video_id: _video(
            path,
            video_id,
            entry.duration,
            [step.segment for step in entry.annotations],
            [step.sentence for step in entry.annotations],
            ingredients=entry.ingredients,
            split=entry.subset,
            recipe_type=entry.recipe_type,
        )
        for video_id, entry in database.items()
    }


def read_tags(path: Path) -> dict[str, tuple[tuple[Tag, ...], ...]]:
    """Tagged phrases per step, from the file with ingredient annotations."""
    tags: dict[str, tuple[tuple[Tag, ...], ...]] = {}
    for video_id, entry in checked_json(path, _ANNOTATIONS, "a YouCook2 annotation file").database.items():
        if entry.ner is None or len(entry.ner) != len(entry.annotations):
            raise BadFileError(path, f"{video_id} has no `ner` entry for each step", "use the file with ingredients")
        tags[video_id] = tuple(tuple(_tag(path, item) for item in step) for step in entry.ner)
    return tags


def _tag(path: Path, item: str) -> Tag:
    text, slash, label = item.rpartition("/")
    if not slash or not label:
        raise BadFileError(path, f"{item!r} is not a phrase, a slash and a label")
    return Tag(text, label)


def read_truth(path: Path, split: str = "") -> dict[str, AnnotatedVideo]:
    """Read an ActivityNet-style file: `{"v_<id>": {"duration", "timestamps", "sentences"}}`, with or without `v_`.

    Files that also list `ingredients` (as the SVPC ones do) keep them. Steps come out in order of their start.
    """
    truth = checked_json(path, _TRUTH, "an ActivityNet-style truth file")
    ids = bare_ids(truth, path)
    return {ids[key]: entry.video(path, ids[key], split) for key, entry in truth.items()}


def write_truth(path: Path, videos: Iterable[AnnotatedVideo]) -> None:
    """Write an ActivityNet-style truth file with `v_` before the ids, and the ingredients where they are known."""
    entries: dict[str, dict[str, object]] = {}
    for video in videos:
        entry: dict[str, object] = {
            "duration": video.duration,
            "timestamps": video.spans.tolist(),
            "sentences": list(video.sentences),
        }
        if video.ingredients:
            entry["ingredients"] = list(video.ingredients)
        entries[f"v_{video.id}"] = entry
    write_json(path, entries)


def read_recipe_names(path: Path) -> dict[str, str]:
    """Read `recipe_type,name` lines (`label_foodtype.csv`): the dish a recipe type stands for."""
    return {row[0].strip(): row[1].strip() for _, row in csv_rows(path, 2)}


def read_split_list(path: Path) -> tuple[str, ...]:
    """Read the ids of a split list, lines `<recipe type>/<id>` or plain ids."""
    ids = tuple(line.strip().rpartition("/")[2] for line in read_text(path).splitlines() if line.strip())
    if not ids or len(set(ids)) != len(ids):
        raise BadFileError(path, "is empty or names a video twice")
    return ids


def _video(
    path: Path,
    video_id: str,
    duration: float,
    segments: list[list[float]],
    sentences: list[str],
    *,
    ingredients: list[str],
    split: str,
    recipe_type: str = "",
) -> AnnotatedVideo:
    if len(segments) != len(sentences):
        raise BadFileError(path, f"{video_id} has {len(segments)} segments but {len(sentences)} sentences")
    order = sorted(range(len(segments)), key=lambda i: segments[i][0])
    try:
        return AnnotatedVideo(
            id=video_id,
            duration=float(duration),
            spans=np.array([segments[i] for i in order], dtype=np.float64).reshape(-1, 2),
            sentences=tuple(sentences[i] for i in order),
            ingredients=tuple(ingredients),
            split=split,
            recipe_type=recipe_type,
        )
    except BadValueError as error:
        raise BadFileError(path, f"{error.subject}: {error.cause}") from None
