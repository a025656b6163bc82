# Made by openapi-python-client 0.29.1 from the contract of iceberg_rest 1.12.0, sha256 99bc72bd968971a4. Do not edit: nox -s generate
"""GET /v1/{prefix}/namespaces/{namespace}/views/{view}."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakepact.generated.calls import Answers, Later, present_parameters, segment
from lakepact.generated.contract import Call

if TYPE_CHECKING:
    from lakepact.generated.iceberg_rest.models import LoadViewResult

ANSWERS = Answers(
    Later("lakepact.generated.iceberg_rest.models"),
    {
        "200": "LoadViewResult",
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
    view: str,
    referenced_by: str | None = None,
) -> Call[LoadViewResult]:
    """Load a view."""
    return Call(
        operation="loadView",
        method="GET",
        path=f"/v1/{segment(prefix)}/namespaces/{segment(namespace)}/views/{segment(view)}",
        query=present_parameters(
            ("referenced-by", referenced_by),
        ),
        headers=present_parameters(),
        content=None,
        answers=ANSWERS,
    )
