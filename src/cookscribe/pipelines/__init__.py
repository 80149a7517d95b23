"""The ways from a film to a draft of its recipe: watching (the paper's) and listening."""
