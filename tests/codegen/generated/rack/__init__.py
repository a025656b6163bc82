# Made by codegen.generate from the contract of rack 2, sha256 07672c7b9d2d18f7. Do not edit: nox -s generate
"""Rack 2: its tables, models, endpoints and schemas."""
