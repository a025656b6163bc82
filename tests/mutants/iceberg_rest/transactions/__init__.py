"""Mutants of commits to several tables."""
