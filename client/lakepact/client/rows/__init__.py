"""Rows of tables, below both contracts: predicates, frames, and types of optional libraries."""
