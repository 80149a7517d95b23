"""Readers of published data, labels, vocabulary, word vectors and the feature store."""
