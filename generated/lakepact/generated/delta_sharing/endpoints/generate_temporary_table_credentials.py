# Made by openapi-python-client 0.29.1 from the contract of delta_sharing 2026-08, sha256 2846358f7d6092c6. Do not edit: nox -s generate
"""POST /shares/{share}/schemas/{schema}/tables/{table}/temporary-table-credentials."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakepact.generated.calls import Answers, Later, present_parameters, segment
from lakepact.generated.contract import Call

if TYPE_CHECKING:
    from lakepact.generated.delta_sharing.models import (
        TemporaryTableCredentialsRequest,
        TemporaryTableCredentialsResponse,
    )

ANSWERS = Answers(
    Later("lakepact.generated.delta_sharing.models"),
    {
        "200": "TemporaryTableCredentialsResponse",
        "400": "Error",
        "401": "Error",
        "403": "Error",
        "404": "Error",
        "500": "Error",
    },
)


def call(
    *,
    share: str,
    schema: str,
    table: str,
    body: TemporaryTableCredentialsRequest | None = None,
) -> Call[TemporaryTableCredentialsResponse]:
    """Get credentials that read a directory of a table."""
    return Call(
        operation="generateTemporaryTableCredentials",
        method="POST",
        path=f"/shares/{segment(share)}/schemas/{segment(schema)}/tables/{segment(table)}/temporary-table-credentials",
        query=present_parameters(),
        headers=present_parameters(
            ("Content-Type", "application/json" if body is not None else None),
        ),
        content=body.to_json() if body is not None else None,
        answers=ANSWERS,
    )
