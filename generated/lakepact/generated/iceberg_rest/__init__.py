# Made by codegen.generate from the contract of iceberg_rest 1.10.0, sha256 2920ba93a9be9631. Do not edit: nox -s generate
"""Apache Iceberg REST Catalog API 1.10.0: its tables, models, endpoints and schemas."""
