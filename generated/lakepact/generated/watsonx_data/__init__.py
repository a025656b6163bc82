# Made by codegen.generate from the contract of watsonx_data 2026, sha256 842e1ada1055540e. Do not edit: nox -s generate
"""IBM watsonx.data Iceberg REST Catalog API 2026: its tables, models, endpoints and schemas."""
