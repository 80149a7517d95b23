"""The language-model writer: timed text of a film in, one sentence per event out."""
