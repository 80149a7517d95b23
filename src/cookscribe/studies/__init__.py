"""The paper's tables and figures, and ours, as functions."""
