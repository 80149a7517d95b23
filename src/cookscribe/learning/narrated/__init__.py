"""Training of the models of narrated videos."""
