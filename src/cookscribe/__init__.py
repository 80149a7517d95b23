"""cookscribe watches an unsegmented cooking video and writes the recipe.

scribe = cookscribe.load("kitchen")
recipe = scribe.write("soup.mp4", ingredients=["onion", "butter", "stock"])
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from cookscribe.scribe import RecipeWriter

__version__ = "0.1.0"

# Some libraries report to their makers unless they are told not to before they are imported: onnxruntime (the voice
# filter of the speech recogniser), the Hugging Face hub, Ray. What the user has set stays.
for _name, _value in {
    "ORT_DISABLE_TELEMETRY": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "RAY_USAGE_STATS_ENABLED": "0",
    "DO_NOT_TRACK": "1",
}.items():
    os.environ.setdefault(_name, _value)


def load(name: str | Path) -> RecipeWriter:
    """The scribe of a shipped bundle (by name) or of any bundle (by folder). See `cookscribe.scribe`."""
    from cookscribe.scribe import load as load_scribe

    return load_scribe(name)
