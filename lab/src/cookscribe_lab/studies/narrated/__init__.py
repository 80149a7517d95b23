"""Recipes of real narrated videos."""
