"""Checks of Iceberg REST clients of version 1.12.0."""
