"""Stores of catalogs, in memory or in a file that loses no acknowledged change."""
