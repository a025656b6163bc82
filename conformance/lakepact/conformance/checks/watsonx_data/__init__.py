"""Checks of watsonx.data: its differences. The checks of Iceberg REST catalogs whose requirements
it has run too.
"""
