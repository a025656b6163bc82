# Made by codegen.generate from the contract of iceberg_rest 1.10.0, sha256 46f4931e05ec1a54. Do not edit: nox -s generate
"""One module for each operation, each with one pure function, `call`."""
