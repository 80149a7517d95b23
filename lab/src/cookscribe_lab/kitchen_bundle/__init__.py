"""The bundle that reads drawn films: how it is made and judged."""
