# Made by openapi-python-client 0.29.1 from the contract of delta_sharing 2026-08, sha256 2846358f7d6092c6. Do not edit: nox -s generate
"""HEAD /shares/{share}/schemas/{schema}/tables/{table}."""

from __future__ import annotations

from lakepact.generated.calls import Answers, Later, given, segment
from lakepact.generated.contract import Call

ANSWERS = Answers(
    Later("lakepact.generated.delta_sharing.models"),
    {
        "200": None,
        "400": None,
        "401": None,
        "403": None,
        "404": None,
        "500": None,
    },
)


def call(
    *,
    share: str,
    schema: str,
    table: str,
) -> Call[None]:
    """Ask for the current version of a table in the older way."""
    return Call(
        operation="headTableVersion",
        method="HEAD",
        path=f"/shares/{segment(share)}/schemas/{segment(schema)}/tables/{segment(table)}",
        query=given(),
        headers=given(),
        content=None,
        answers=ANSWERS,
    )
