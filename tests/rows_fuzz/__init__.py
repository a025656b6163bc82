"""Random tables, filters and writes of the Iceberg client, compared with a model in Python."""
