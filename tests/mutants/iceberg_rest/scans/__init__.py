"""Mutants of scan planning."""
