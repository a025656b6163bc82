"""Checks of Iceberg REST clients."""
