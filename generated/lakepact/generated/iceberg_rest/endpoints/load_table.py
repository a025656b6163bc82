# Made by openapi-python-client 0.29.1 from the contract of iceberg_rest 1.12.0, sha256 99bc72bd968971a4. Do not edit: nox -s generate
"""GET /v1/{prefix}/namespaces/{namespace}/tables/{table}."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from lakepact.generated.calls import Answers, Later, present_parameters, segment
from lakepact.generated.contract import Call

if TYPE_CHECKING:
    from lakepact.generated.iceberg_rest.models import LoadTableResult

ANSWERS = Answers(
    Later("lakepact.generated.iceberg_rest.models"),
    {
        "200": "LoadTableResult",
        "304": None,
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
    snapshots: Literal["all", "refs"] | None = None,
    referenced_by: str | None = None,
    x_iceberg_access_delegation: str | None = None,
    if_none_match: str | None = None,
) -> Call[LoadTableResult]:
    """Load a table."""
    return Call(
        operation="loadTable",
        method="GET",
        path=f"/v1/{segment(prefix)}/namespaces/{segment(namespace)}/tables/{segment(table)}",
        query=present_parameters(
            ("snapshots", snapshots),
            ("referenced-by", referenced_by),
        ),
        headers=present_parameters(
            ("X-Iceberg-Access-Delegation", x_iceberg_access_delegation),
            ("If-None-Match", if_none_match),
        ),
        content=None,
        answers=ANSWERS,
    )
