"""What clients of Iceberg REST catalogs have to do."""
