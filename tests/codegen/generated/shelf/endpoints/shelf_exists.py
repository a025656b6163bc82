# Made by openapi-python-client 0.29.1 from the contract of shelf 2, sha256 61417d132981829b. Do not edit: nox -s generate
"""HEAD /shelves/{shelf-id}/books."""

from __future__ import annotations

from typing import Any

from lakepact.generated.calls import given, segment
from lakepact.generated.contract import Call

ANSWERS: dict[str, Any] = {
    "204": None,
    "404": None,
}


def call(
    *,
    shelf_id: str,
) -> Call[None]:
    """Ask whether there is a shelf."""
    return Call(
        operation="shelfExists",
        method="HEAD",
        path=f"/shelves/{segment(shelf_id)}/books",
        query=given(),
        headers=given(),
        content=None,
        answers=ANSWERS,
    )
