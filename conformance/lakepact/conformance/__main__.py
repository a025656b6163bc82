"""`python -m lakepact.conformance` is the `lakepact` command."""

from lakepact.conformance.cli import main

main()
