# Made by openapi-python-client 0.29.1 from the contract of iceberg_rest 1.12.0, sha256 99bc72bd968971a4. Do not edit: nox -s generate
"""DELETE /v1/{prefix}/namespaces/{namespace}/tables/{table}/plan/{plan-id}."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakepact.generated.calls import Answers, Later, present_parameters, segment
from lakepact.generated.contract import Call

if TYPE_CHECKING:
    pass

ANSWERS = Answers(
    Later("lakepact.generated.iceberg_rest.models"),
    {
        "204": None,
        "400": "IcebergErrorResponse",
        "401": "IcebergErrorResponse",
        "403": "IcebergErrorResponse",
        "404": "IcebergErrorResponse",
        "419": "IcebergErrorResponse",
        "503": "IcebergErrorResponse",
        "5XX": "IcebergErrorResponse",
    },
)


def call(
    *,
    prefix: str,
    namespace: str,
    table: str,
    plan_id: str,
    idempotency_key: str | None = None,
    x_iceberg_access_delegation: str | None = None,
) -> Call[None]:
    """Cancel the planning of a scan."""
    return Call(
        operation="cancelPlanning",
        method="DELETE",
        path=f"/v1/{segment(prefix)}/namespaces/{segment(namespace)}/tables/{segment(table)}/plan/{segment(plan_id)}",
        query=present_parameters(),
        headers=present_parameters(
            ("Idempotency-Key", idempotency_key),
            ("X-Iceberg-Access-Delegation", x_iceberg_access_delegation),
        ),
        content=None,
        answers=ANSWERS,
    )
