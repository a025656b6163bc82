# Made by codegen.generate from the contract of iceberg_rest 1.12.0, sha256 99bc72bd968971a4. Do not edit: nox -s generate
"""One module for each operation, each with one pure function, `call`."""
