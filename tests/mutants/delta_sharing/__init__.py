"""Mutants of Delta Sharing: a module for each module of checks, and `operators` that several are
made from.
"""
