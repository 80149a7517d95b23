"""What goes beyond the paper: planning, copying, ensembles, fast decoding. A reader of the paper can skip it."""
