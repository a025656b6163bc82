# Made by openapi-python-client 0.29.1 from the contract of delta_sharing 2026-08, sha256 2846358f7d6092c6. Do not edit: nox -s generate
"""GET /shares/{share}."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakepact.generated.calls import Answers, Later, present_parameters, segment
from lakepact.generated.contract import Call

if TYPE_CHECKING:
    from lakepact.generated.delta_sharing.models import GetShareResponse

ANSWERS = Answers(
    Later("lakepact.generated.delta_sharing.models"),
    {
        "200": "GetShareResponse",
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
) -> Call[GetShareResponse]:
    """Describe one share."""
    return Call(
        operation="getShare",
        method="GET",
        path=f"/shares/{segment(share)}",
        query=present_parameters(),
        headers=present_parameters(),
        content=None,
        answers=ANSWERS,
    )
