"""Mutants of tables."""
