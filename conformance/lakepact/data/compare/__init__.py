"""Comparison of tables between two catalogs: `lakepact data compare A B --table 'sales.*'`.

Each side is an Iceberg catalog, a folder of Delta tables or a share. Both sides of a table are
pinned, then their schemas are compared, then digests of their rows by partition, and then the rows
of partitions that differ.
"""
