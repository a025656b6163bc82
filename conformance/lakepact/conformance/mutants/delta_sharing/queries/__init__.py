"""Mutants of queries."""
