"""Learning to see: heads on frozen image features, from one still per annotated step."""
