# Made by codegen.generate from the contract of shelf 2, sha256 61417d132981829b. Do not edit: nox -s generate
"""Shelf 2: its tables, models, endpoints and schemas."""
