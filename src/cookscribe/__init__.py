"""cookscribe watches an unsegmented cooking video and writes the recipe.

scribe = cookscribe.load("kitchen")
recipe = scribe.write("soup.mp4", ingredients=["onion", "butter", "stock"])
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from cookscribe.scribe import RecipeWriter

__version__ = "0.1.0"


def load(name: str | Path) -> RecipeWriter:
    """The scribe of a shipped bundle (by name) or of any bundle (by folder). See `cookscribe.scribe`."""
    from cookscribe.scribe import load as load_scribe

    return load_scribe(name)
