# Made by codegen.generate from the contract of watsonx_data 2026, sha256 842e1ada1055540e. Do not edit: nox -s generate
"""One module for each operation, each with one pure function, `call`."""
