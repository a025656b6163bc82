"""Checks of the requirements that version 1.12.0 adds to 1.11.0."""
