"""One writer per format; each is a pure function of a Recipe."""
