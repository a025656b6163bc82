"""Mutants of table metadata and versions."""
