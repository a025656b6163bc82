"""Checks of commits to one table: requirements, atomicity and history."""
