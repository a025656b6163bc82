"""Commits to one table or several, and their requirements."""
