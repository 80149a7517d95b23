"""Training of the language-model writer."""
