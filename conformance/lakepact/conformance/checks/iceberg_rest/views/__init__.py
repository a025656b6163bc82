"""Checks of views."""
