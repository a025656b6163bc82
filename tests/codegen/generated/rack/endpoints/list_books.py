# Made by openapi-python-client 0.29.1 from the contract of rack 2, sha256 07672c7b9d2d18f7. Do not edit: nox -s generate
"""GET /racks/{rack-id}/books."""

from __future__ import annotations

from typing import Any, Literal

from lakepact.generated.calls import given, segment
from lakepact.generated.contract import Call
from lakepact.generated.rack.models import Books, Refusal

ANSWERS: dict[str, Any] = {
    "200": Books,
    "404": Refusal,
    "5XX": Refusal,
}


def call(
    *,
    rack_id: str,
    page_token: str | None = None,
    page_size: int | None = None,
    order: Literal["author", "title"] | None = None,
    damaged: bool | None = None,
    x_languages: str | None = None,
) -> Call[Books]:
    """List the books on a rack."""
    return Call(
        operation="listBooks",
        method="GET",
        path=f"/racks/{segment(rack_id)}/books",
        query=given(
            ("pageToken", page_token),
            ("pageSize", page_size),
            ("order", order),
            ("damaged", damaged),
        ),
        headers=given(
            ("X-Languages", x_languages),
        ),
        content=None,
        answers=ANSWERS,
    )
