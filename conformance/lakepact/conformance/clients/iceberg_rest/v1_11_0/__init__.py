"""Checks of Iceberg REST clients of version 1.11.0."""
