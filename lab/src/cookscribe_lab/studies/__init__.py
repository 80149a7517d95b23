"""Each table and figure as a function that can be run again."""
