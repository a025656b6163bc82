# Made by codegen.generate from the contract of iceberg_rest 1.10.0, sha256 1d4e15b341ea702d. Do not edit: nox -s generate
"""One module for each operation, each with one pure function, `call`."""
