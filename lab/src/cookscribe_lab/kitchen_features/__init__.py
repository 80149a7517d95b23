"""A simulator of feature streams: real annotations, imitated features."""
