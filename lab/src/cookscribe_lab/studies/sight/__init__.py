"""Studies of what is seen in real pictures."""
