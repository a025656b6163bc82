"""Schemas and residual filters are judged as this version writes them, in the place of those
before.
"""

from __future__ import annotations

from lakepact.conformance.checks.iceberg_rest.protocol.schemas import judge_schemas
from lakepact.conformance.checks.iceberg_rest.scans.plan_responses import judge_residuals
from lakepact.conformance.checks.iceberg_rest.v1_12_0.suite import SCHEMAS, suite

judge_schemas(suite, SCHEMAS)
judge_residuals(suite, SCHEMAS)
