"""Queries of one table: which version, which files, which changes."""
