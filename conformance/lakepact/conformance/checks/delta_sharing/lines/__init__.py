"""Checks of the lines of an answer, in either format."""
