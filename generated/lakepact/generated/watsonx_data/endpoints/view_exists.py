# Made by openapi-python-client 0.29.1 from the contract of watsonx_data 2026, sha256 10d661679c63a5d5. Do not edit: nox -s generate
"""HEAD /v1/{prefix}/namespaces/{namespace}/views/{view}."""

from __future__ import annotations

from lakepact.generated.calls import Answers, Later, given, segment
from lakepact.generated.contract import Call

ANSWERS = Answers(
    Later("lakepact.generated.watsonx_data.models"),
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
    view: str,
) -> Call[None]:
    """Ask whether a view exists."""
    return Call(
        operation="viewExists",
        method="HEAD",
        path=f"/v1/{segment(prefix)}/namespaces/{segment(namespace)}/views/{segment(view)}",
        query=given(),
        headers=given(),
        content=None,
        answers=ANSWERS,
    )
