# Made by codegen.generate from the contract of delta_sharing 2026-02, sha256 94ad4c0756e6ffc1. Do not edit: nox -s generate
"""One module for each operation, each with one pure function, `call`."""
