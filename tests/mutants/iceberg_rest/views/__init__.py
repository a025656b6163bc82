"""Mutants of views."""
