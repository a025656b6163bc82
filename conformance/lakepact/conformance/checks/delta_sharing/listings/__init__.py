"""Checks of the listings of shares, schemas and tables."""
