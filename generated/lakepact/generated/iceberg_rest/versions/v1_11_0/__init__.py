# Made by codegen.generate from the contract of iceberg_rest 1.11.0, sha256 ffa32e5aa92785a7. Do not edit: nox -s generate
"""Apache Iceberg REST Catalog API 1.11.0: its tables and schemas, beside the version that has models and endpoints."""
