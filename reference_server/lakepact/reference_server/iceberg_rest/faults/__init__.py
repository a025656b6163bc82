"""Misbehaviours of the Iceberg REST catalog, one module for each area of its requirements."""
