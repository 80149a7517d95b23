"""What all studies share: data, variants, grids, tables, drawings."""
