# Made by codegen.generate from the contract of rack 2, sha256 07672c7b9d2d18f7. Do not edit: nox -s generate
"""One module for each operation, each with one pure function, `call`."""
