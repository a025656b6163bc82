# Made by openapi-python-client 0.29.1 from the contract of iceberg_rest 1.12.0, sha256 99bc72bd968971a4. Do not edit: nox -s generate
"""POST /v1/{prefix}/namespaces/{namespace}/views."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakepact.generated.calls import Answers, Later, present_parameters, segment
from lakepact.generated.contract import Call

if TYPE_CHECKING:
    from lakepact.generated.iceberg_rest.models import (
        CreateViewRequest,
        LoadViewResult,
    )

ANSWERS = Answers(
    Later("lakepact.generated.iceberg_rest.models"),
    {
        "200": "LoadViewResult",
        "400": "IcebergErrorResponse",
        "401": "IcebergErrorResponse",
        "403": "IcebergErrorResponse",
        "404": "IcebergErrorResponse",
        "409": "IcebergErrorResponse",
        "419": "IcebergErrorResponse",
        "503": "IcebergErrorResponse",
        "5XX": "IcebergErrorResponse",
    },
)


def call(
    *,
    prefix: str,
    namespace: str,
    body: CreateViewRequest,
    idempotency_key: str | None = None,
) -> Call[LoadViewResult]:
    """Create a view."""
    return Call(
        operation="createView",
        method="POST",
        path=f"/v1/{segment(prefix)}/namespaces/{segment(namespace)}/views",
        query=present_parameters(),
        headers=present_parameters(
            ("Content-Type", "application/json"),
            ("Idempotency-Key", idempotency_key),
        ),
        content=body.to_json(),
        answers=ANSWERS,
    )
