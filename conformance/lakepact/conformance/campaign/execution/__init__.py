"""Sending cases to targets and keeping every exchange."""
