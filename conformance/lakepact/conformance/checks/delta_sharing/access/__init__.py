"""Checks of recipients and of temporary credentials."""
