"""Checks of the Iceberg REST catalog contract, a module for each area."""
