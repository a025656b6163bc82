"""Checks of commits to several tables."""
