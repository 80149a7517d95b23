"""Training of the proposal model."""
