"""Commits: their requirements, updates and effects, transactions, and commits that create tables."""
