# Made by codegen.generate from the contract of watsonx_data 2026, sha256 10d661679c63a5d5. Do not edit: nox -s generate
"""IBM watsonx.data Iceberg REST Catalog API 2026: its tables, models, endpoints and schemas."""
