"""Iceberg tables shared as Delta tables, from the catalog on the same server.

Each metadata file of the table is a version, numbered like the file. The data files of its current
snapshot are the files of that version. A table is refused if reading its Parquet files by column
name would give wrong rows.
"""

from __future__ import annotations

from lakepact.reference_server.delta_sharing.iceberg_tables.history import IcebergHistory

__all__ = ["IcebergHistory"]
