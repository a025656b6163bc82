# Made by codegen.generate from the contract of delta_sharing 2026-08, sha256 2846358f7d6092c6. Do not edit: nox -s generate
"""One module for each operation, each with one pure function, `call`."""
