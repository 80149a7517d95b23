"""Writers that bundles of cookscribe name: low-rank adapters of a language model, a folder each."""
