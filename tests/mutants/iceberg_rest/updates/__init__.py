"""Mutants of the kinds of update."""
