"""Checks of all operations: capabilities, errors, paging, names and transport."""
