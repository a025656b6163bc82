# Made by codegen.generate from the contract of iceberg_rest 1.11.0, sha256 2453bf5854323479. Do not edit: nox -s generate
"""Apache Iceberg REST Catalog API 1.11.0: its tables and schemas."""
