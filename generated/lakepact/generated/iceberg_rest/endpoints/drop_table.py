# Made by openapi-python-client 0.29.1 from the contract of iceberg_rest 1.12.0, sha256 99bc72bd968971a4. Do not edit: nox -s generate
"""DELETE /v1/{prefix}/namespaces/{namespace}/tables/{table}."""

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
    purge_requested: bool | None = None,
    idempotency_key: str | None = None,
) -> Call[None]:
    """Drop a table."""
    return Call(
        operation="dropTable",
        method="DELETE",
        path=f"/v1/{segment(prefix)}/namespaces/{segment(namespace)}/tables/{segment(table)}",
        query=present_parameters(
            ("purgeRequested", purge_requested),
        ),
        headers=present_parameters(
            ("Idempotency-Key", idempotency_key),
        ),
        content=None,
        answers=ANSWERS,
    )
