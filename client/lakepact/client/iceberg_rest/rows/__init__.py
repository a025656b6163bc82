"""Rows of Iceberg tables; these modules need pyarrow and pyiceberg."""
