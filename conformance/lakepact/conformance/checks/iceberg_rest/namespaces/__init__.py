"""Checks of namespaces."""
