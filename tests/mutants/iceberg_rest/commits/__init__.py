"""Mutants of commits to one table."""
