"""Opening, probing and decoding video and sound (PyAV only)."""
