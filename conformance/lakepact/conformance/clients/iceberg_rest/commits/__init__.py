"""Checks of commits and drops of catalog clients."""
