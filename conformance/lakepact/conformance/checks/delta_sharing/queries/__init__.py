"""Checks of queries: files, pages, snapshots, time travel, changes and predicate hints."""
