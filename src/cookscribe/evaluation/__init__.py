"""Scores of dense captioning: spans and strings only."""
