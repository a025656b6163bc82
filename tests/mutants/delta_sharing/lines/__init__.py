"""Mutants of the lines of an answer."""
