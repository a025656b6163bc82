# Made by codegen.generate from the contract of watsonx_data 2026, sha256 10d661679c63a5d5. Do not edit: nox -s generate
"""One module for each operation, each with one pure function, `call`."""
