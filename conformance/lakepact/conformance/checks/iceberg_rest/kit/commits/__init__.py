"""Commits: their requirements and updates, and commits that create tables."""
