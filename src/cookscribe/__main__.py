"""`python -m cookscribe` is the command."""

from cookscribe.cli import main

main()
