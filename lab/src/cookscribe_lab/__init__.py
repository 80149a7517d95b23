"""The laboratory of cookscribe: two simulated kitchens, and the studies that produce every table."""
