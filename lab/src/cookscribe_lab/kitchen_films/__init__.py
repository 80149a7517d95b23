"""A simulator of films: made-up recipes, drawn videos, with full truth."""
