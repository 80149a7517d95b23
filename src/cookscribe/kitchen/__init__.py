"""The simulated kitchen: recipes, feature streams and drawn videos with full truth."""
