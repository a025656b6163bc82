# Made by codegen.generate from the contract of iceberg_rest 1.11.0, sha256 97258e2f4ba60dc6. Do not edit: nox -s generate
"""Apache Iceberg REST Catalog API 1.11.0: its tables and schemas."""
