"""Recipes from what is said: word vectors, heard words around events, training, evaluation and the scribe."""
