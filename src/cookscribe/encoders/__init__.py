"""Frozen encoders: a video becomes a FeatureTrack."""
