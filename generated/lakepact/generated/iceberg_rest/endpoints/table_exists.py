# Made by openapi-python-client 0.29.1 from the contract of iceberg_rest 1.12.0, sha256 99bc72bd968971a4. Do not edit: nox -s generate
"""HEAD /v1/{prefix}/namespaces/{namespace}/tables/{table}."""

from __future__ import annotations

from lakepact.generated.calls import Answers, Later, present_parameters, segment
from lakepact.generated.contract import Call

ANSWERS = Answers(
    Later("lakepact.generated.iceberg_rest.models"),
    {
        "204": None,
        "400": None,
        "401": None,
        "403": None,
        "404": None,
        "419": None,
        "503": None,
        "5XX": None,
    },
)


def call(
    *,
    prefix: str,
    namespace: str,
    table: str,
) -> Call[None]:
    """Ask whether a table exists."""
    return Call(
        operation="tableExists",
        method="HEAD",
        path=f"/v1/{segment(prefix)}/namespaces/{segment(namespace)}/tables/{segment(table)}",
        query=present_parameters(),
        headers=present_parameters(),
        content=None,
        answers=ANSWERS,
    )
