"""Mutants of listings."""
