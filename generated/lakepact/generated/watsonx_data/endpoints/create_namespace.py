# Made by openapi-python-client 0.29.1 from the contract of watsonx_data 2026, sha256 10d661679c63a5d5. Do not edit: nox -s generate
"""POST /v1/{prefix}/namespaces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakepact.generated.calls import Answers, Later, given, segment
from lakepact.generated.contract import Call

if TYPE_CHECKING:
    from lakepact.generated.watsonx_data.models import (
        CreateNamespaceRequest,
        CreateNamespaceResponse,
    )

ANSWERS = Answers(
    Later("lakepact.generated.watsonx_data.models"),
    {
        "200": "CreateNamespaceResponse",
        "400": "IcebergErrorResponse",
        "401": "IcebergErrorResponse",
        "403": "IcebergErrorResponse",
        "406": "IcebergErrorResponse",
        "409": "IcebergErrorResponse",
        "419": "IcebergErrorResponse",
        "503": "IcebergErrorResponse",
        "5XX": "IcebergErrorResponse",
    },
)


def call(
    *,
    prefix: str,
    body: CreateNamespaceRequest,
) -> Call[CreateNamespaceResponse]:
    """Create a namespace."""
    return Call(
        operation="createNamespace",
        method="POST",
        path=f"/v1/{segment(prefix)}/namespaces",
        query=given(),
        headers=given(
            ("Content-Type", "application/json"),
        ),
        content=body.to_json(),
        answers=ANSWERS,
    )
