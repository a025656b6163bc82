"""Mutants of namespaces."""
