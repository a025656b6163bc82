"""Checks of table metadata and versions."""
