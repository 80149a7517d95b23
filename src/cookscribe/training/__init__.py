"""One training loop for both trainable models."""
