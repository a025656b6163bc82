"""Checks of the requirements that version 1.11.0 adds to 1.10.0."""
