"""Checks of the kinds of update that a commit may hold."""
