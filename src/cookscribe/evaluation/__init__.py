"""Scores of dense captioning: spans and strings only."""

from cookscribe.evaluation.events import Events
from cookscribe.evaluation.inputs import read_ingredients, read_predictions, read_truth
from cookscribe.evaluation.report import Report, evaluate
from cookscribe.evaluation.soda import soda, soda_tiou

__all__ = ["Events", "Report", "evaluate", "read_ingredients", "read_predictions", "read_truth", "soda", "soda_tiou"]
