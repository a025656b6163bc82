# Made by openapi-python-client 0.29.1 from the contract of delta_sharing 2026-08, sha256 2846358f7d6092c6. Do not edit: nox -s generate
"""POST /shares/{share}/schemas/{schema}/tables/{table}/queries/{queryId}."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakepact.generated.calls import Answers, Later, present_parameters, segment
from lakepact.generated.contract import Call

if TYPE_CHECKING:
    from lakepact.generated.delta_sharing.models import GetQueryInfoRequest, ResponseLine

ANSWERS = Answers(
    Later("lakepact.generated.delta_sharing.models"),
    {
        "200": "ResponseLine",
        "400": "Error",
        "401": "Error",
        "403": "Error",
        "404": "Error",
        "500": "Error",
    },
)
LINES = frozenset(["200"])


def call(
    *,
    share: str,
    schema: str,
    table: str,
    query_id: str,
    body: GetQueryInfoRequest | None = None,
    delta_sharing_capabilities: str | None = None,
) -> Call[ResponseLine]:
    """Ask after a query that is run in the background.

    The answer is a sequence of lines; its model is that of one line.
    """
    return Call(
        operation="getQueryInfo",
        method="POST",
        path=f"/shares/{segment(share)}/schemas/{segment(schema)}/tables/{segment(table)}/queries/{segment(query_id)}",
        query=present_parameters(),
        headers=present_parameters(
            ("Content-Type", "application/json" if body is not None else None),
            ("delta-sharing-capabilities", delta_sharing_capabilities),
        ),
        content=body.to_json() if body is not None else None,
        answers=ANSWERS,
        lines=LINES,
    )
