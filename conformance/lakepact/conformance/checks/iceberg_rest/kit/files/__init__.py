"""Avro files of tables."""
