# Made by codegen.generate from the contract of watsonx_data 2026, sha256 7f81fa9fbb2445b1. Do not edit: nox -s generate
"""One module for each operation, each with one pure function, `call`."""
