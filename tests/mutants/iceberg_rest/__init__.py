"""Mutants of the Iceberg REST catalog: a module for each module of checks, and `operators` that
several are made from.
"""
