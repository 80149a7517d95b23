"""The prediction file that dense-captioning evaluators read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cookscribe.recipe import Recipe


def as_predictions(recipes: Mapping[str, Recipe]) -> dict[str, Any]:
    """`{"version", "results": {id: [{"sentence", "timestamp"}]}, "external_data"}` for recipes by video id."""
    return {
        "version": "VERSION 1.0",
        "results": {
            video_id: [
                {"sentence": step.sentence, "timestamp": [step.span.start, step.span.end]} for step in recipe.steps
            ]
            for video_id, recipe in recipes.items()
        },
        "external_data": {"used": True, "details": "cookscribe"},
    }
