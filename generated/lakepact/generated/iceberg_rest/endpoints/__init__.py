# Made by codegen.generate from the contract of iceberg_rest 1.10.0, sha256 2920ba93a9be9631. Do not edit: nox -s generate
"""One module for each operation, each with one pure function, `call`."""
