"""The web application: a shelf of cooking videos, their recipes, and the place where they are corrected."""
