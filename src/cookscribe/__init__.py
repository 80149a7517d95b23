"""cookscribe watches an unsegmented cooking video and writes the recipe.

import cookscribe

recipe = cookscribe.write("soup.mp4", ingredients=["onion", "butter", "stock"])
for step in recipe.steps:
    print(step.span.start, step.span.end, step.sentence)

scribe = cookscribe.load("auto", device="cuda")      # for many films: models are loaded once
recipes = [scribe.write(film) for film in films]
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from cookscribe.errors import (
        BadFileError,
        BadValueError,
        CookscribeError,
        InputError,
        MissingDependencyError,
        MissingFileError,
        NoModelFitsError,
    )
    from cookscribe.recipe import Recipe, Span, Step
    from cookscribe.scribe import Scribe

__version__ = "0.1.0"
__all__ = [
    "BadFileError",
    "BadValueError",
    "CookscribeError",
    "InputError",
    "MissingDependencyError",
    "MissingFileError",
    "NoModelFitsError",
    "Recipe",
    "Scribe",
    "Span",
    "Step",
    "load",
    "write",
]

# Some libraries report to their makers unless they are told not to before they are imported: onnxruntime (the voice
# filter of the speech recogniser), the Hugging Face hub, Ray. What the user has set stays.
for _name, _value in {
    "ORT_DISABLE_TELEMETRY": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "RAY_USAGE_STATS_ENABLED": "0",
    "DO_NOT_TRACK": "1",
}.items():
    os.environ.setdefault(_name, _value)


def load(name: str | Path = "auto", device: str | None = None) -> Scribe:
    """The scribe of an installed bundle (by name) or of any bundle (by folder), for any number of films.

    Args:
        name: "auto" looks at each film and takes the bundle that fits.
        device: where the networks run, e.g. "cuda"; None takes a GPU if there is one.
    """
    from cookscribe.scribe import load as load_scribe

    return load_scribe(name, device)


def write(video: str | Path, ingredients: Sequence[str] | None = None, title: str | None = None) -> Recipe:
    """The recipe of one local film; see `Scribe.write`."""
    return load().write(video, ingredients, title)


def __getattr__(name: str) -> Any:
    # The other public names are imported when they are asked for, so that `import cookscribe` stays light.
    if name in __all__:
        room = {"Recipe": "recipe", "Span": "recipe", "Step": "recipe", "Scribe": "scribe"}.get(name, "errors")
        return getattr(import_module(f"cookscribe.{room}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
