"""Catalogs of IBM watsonx.data."""
