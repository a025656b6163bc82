# Made by codegen.generate from the contract of iceberg_rest 1.10.0, sha256 1d4e15b341ea702d. Do not edit: nox -s generate
"""Apache Iceberg REST Catalog API 1.10.0: its tables, models, endpoints and schemas."""
