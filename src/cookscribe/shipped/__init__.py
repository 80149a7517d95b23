"""Bundles that come with the package."""
