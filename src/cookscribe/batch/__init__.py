"""Many films: the whole job on every core of a machine, or on a cluster."""
