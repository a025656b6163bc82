"""Checks of watsonx.data: its differences here, and all checks of Iceberg REST catalogs whose requirements it has."""
