"""Checks of watsonx.data: its differences from Iceberg REST catalogs, whose checks run too."""
