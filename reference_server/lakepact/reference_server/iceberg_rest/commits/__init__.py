"""Commits to one table or several, and what they require."""
