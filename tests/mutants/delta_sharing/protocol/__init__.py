"""Mutants of what every operation has in common."""
