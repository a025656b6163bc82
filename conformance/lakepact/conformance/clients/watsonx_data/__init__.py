"""Checks of clients of watsonx.data: those of Iceberg REST, on an instance that asks for
credentials.
"""
