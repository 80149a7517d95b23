"""Readers of published data sets, labels and word vectors."""
