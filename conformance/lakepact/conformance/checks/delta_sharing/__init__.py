"""Checks of Delta Sharing servers."""
