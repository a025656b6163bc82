"""Locations and Avro files of tables."""
