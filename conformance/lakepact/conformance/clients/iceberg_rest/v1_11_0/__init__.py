"""What clients of Iceberg REST catalogs have to do since version 1.11.0."""
