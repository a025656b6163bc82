"""Checks of Delta Sharing clients."""
