"""Words: tokens, vocabulary, ingredients, actions and their forms."""
