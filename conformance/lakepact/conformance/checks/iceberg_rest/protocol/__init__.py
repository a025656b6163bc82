"""Checks of all operations: configuration, errors, paging, paths and transport."""
