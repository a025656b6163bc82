# Made by openapi-python-client 0.29.1 from the contract of shelf 2, sha256 61417d132981829b. Do not edit: nox -s generate
"""POST /shelves/{shelf-id}/books."""

from __future__ import annotations

from typing import Any

from lakepact.generated.calls import given, segment
from lakepact.generated.contract import Call
from lakepact.generated.shelf.models import Change, Refusal

ANSWERS: dict[str, Any] = {
    "204": None,
    "409": Refusal,
    "5XX": Refusal,
}


def call(
    *,
    shelf_id: str,
    body: Change | None = None,
) -> Call[None]:
    """Change a shelf."""
    return Call(
        operation="changeShelf",
        method="POST",
        path=f"/shelves/{segment(shelf_id)}/books",
        query=given(),
        headers=given(
            ("Content-Type", "application/json" if body is not None else None),
        ),
        content=body.to_json() if body is not None else None,
        answers=ANSWERS,
    )
