"""Annotations in any of the formats the kitchen films from: YouCook2's, ActivityNet-style truth, made-up recipes."""

from __future__ import annotations

from pathlib import Path

from cookscribe.errors import BadFileError
from cookscribe.files import read_json
from cookscribe.learning.datasets.records import AnnotatedVideo
from cookscribe.learning.datasets.youcook2 import read_annotations, read_truth
from cookscribe_lab.kitchen_films.recipes import read_recipes


def read_any(path: Path) -> dict[str, AnnotatedVideo]:
    """Annotated videos by id, whichever of the formats the file has."""
    content = read_json(path)
    if not isinstance(content, dict) or not content:
        raise BadFileError(path, "holds no annotations", "see docs/kitchen.md for the formats")
    if "database" in content:
        return read_annotations(path)
    if all(isinstance(entry, dict) and entry.get("simulated") is True for entry in content.values()):
        return read_recipes(path)
    return read_truth(path)
