"""One table, two doors: tables of the Iceberg catalog beside, told as if they were Delta tables.

What a table says of itself at each of its metadata files is a version, numbered as the file is. The files of its current snapshot are
the files of that version. Where Parquet files read by their columns' names would not give the table's rows, it is refused.
"""

from __future__ import annotations

from lakepact.reference_server.delta_sharing.iceberg_tables.history import IcebergHistory

__all__ = ["IcebergHistory"]
