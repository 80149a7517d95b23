"""Scores of dense captioning: spans and strings only."""

from __future__ import annotations

from cookscribe.evaluation.events import Events
from cookscribe.evaluation.soda import soda, soda_tiou

__all__ = ["Events", "soda", "soda_tiou"]
