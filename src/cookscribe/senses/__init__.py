"""What can be perceived in a film as timed text: what is said, so far."""
