# Made by openapi-python-client 0.29.1 from the contract of delta_sharing 2026-08, sha256 2846358f7d6092c6. Do not edit: nox -s generate
"""GET /shares."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakepact.generated.calls import Answers, Later, present_parameters
from lakepact.generated.contract import Call

if TYPE_CHECKING:
    from lakepact.generated.delta_sharing.models import ListSharesResponse

ANSWERS = Answers(
    Later("lakepact.generated.delta_sharing.models"),
    {
        "200": "ListSharesResponse",
        "400": "Error",
        "401": "Error",
        "403": "Error",
        "500": "Error",
    },
)


def call(
    *,
    max_results: int | None = None,
    page_token: str | None = None,
) -> Call[ListSharesResponse]:
    """List the shares that the recipient may read."""
    return Call(
        operation="listShares",
        method="GET",
        path="/shares",
        query=present_parameters(
            ("maxResults", max_results),
            ("pageToken", page_token),
        ),
        headers=present_parameters(),
        content=None,
        answers=ANSWERS,
    )
