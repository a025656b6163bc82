"""`python -m lakepact.cli` is the `lakepact` command."""

from lakepact.cli import main

main()
