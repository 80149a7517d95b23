"""cookscribe watches an unsegmented cooking video and writes the recipe."""

__version__ = "0.1.0"
