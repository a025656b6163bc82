# Made by openapi-python-client 0.29.1 from the contract of delta_sharing 2026-08, sha256 2846358f7d6092c6. Do not edit: nox -s generate
"""GET /shares/{share}/schemas/{schema}/tables/{table}/metadata."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakepact.generated.calls import Answers, Later, present_parameters, segment
from lakepact.generated.contract import Call

if TYPE_CHECKING:
    from lakepact.generated.delta_sharing.models import ResponseLine

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
    version: int | None = None,
    timestamp: str | None = None,
    delta_sharing_capabilities: str | None = None,
) -> Call[ResponseLine]:
    """Read the protocol and the metadata of a table.

    The answer is a sequence of lines; its model is that of one line.
    """
    return Call(
        operation="getTableMetadata",
        method="GET",
        path=f"/shares/{segment(share)}/schemas/{segment(schema)}/tables/{segment(table)}/metadata",
        query=present_parameters(
            ("version", version),
            ("timestamp", timestamp),
        ),
        headers=present_parameters(
            ("delta-sharing-capabilities", delta_sharing_capabilities),
        ),
        content=None,
        answers=ANSWERS,
        lines=LINES,
    )
