"""Answers have to fit the schemas of this profile, in the place of those of Iceberg REST."""

from __future__ import annotations

from lakepact.conformance.checks.iceberg_rest.kit.contract_schemas import ContractSchemas
from lakepact.conformance.checks.iceberg_rest.protocol.schemas import judge_schemas
from lakepact.conformance.checks.watsonx_data.suite import suite

judge_schemas(suite, ContractSchemas(suite.contract))
