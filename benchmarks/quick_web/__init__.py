"""The web application with a worker that makes recipes up at once, for tests and benchmarks."""
