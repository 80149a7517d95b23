"""Bundles that come with the laboratory."""
