"""FeatureTrack to Candidates: PDVC and the plain baselines."""
