# Made by codegen.generate from the contract of delta_sharing 2026-02, sha256 9f3b195d81cfaf6e. Do not edit: nox -s generate
"""One module for each operation, each with one pure function, `call`."""
