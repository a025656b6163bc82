# Made by codegen.generate from the contract of delta_sharing 2026-02, sha256 94ad4c0756e6ffc1. Do not edit: nox -s generate
"""Delta Sharing Protocol 2026-02: its tables, models, endpoints and schemas."""
