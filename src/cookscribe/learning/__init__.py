"""Everything that learns: data sets, the training loop, one task per trainable model."""
