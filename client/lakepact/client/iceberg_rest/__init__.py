"""The client of the Iceberg REST contract."""
