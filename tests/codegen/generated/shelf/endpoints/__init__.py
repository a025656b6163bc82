# Made by codegen.generate from the contract of shelf 2, sha256 05f3d4f1403760e0. Do not edit: nox -s generate
"""One module for each operation, each with one pure function, `call`."""
