"""Checks of schemas and residual filters of this version, which replace those of 1.11.0."""

from __future__ import annotations

from lakepact.conformance.checks.iceberg_rest.protocol.schemas import judge_schemas
from lakepact.conformance.checks.iceberg_rest.scans.plan_responses import judge_residuals
from lakepact.conformance.checks.iceberg_rest.v1_12_0.suite import SCHEMAS, suite

judge_schemas(suite, SCHEMAS)
judge_residuals(suite, SCHEMAS)
