# Made by openapi-python-client 0.29.1 from the contract of shelf 2, sha256 61417d132981829b. Do not edit: nox -s generate
"""GET /shelves/{shelf-id}/log."""

from __future__ import annotations

from typing import Any

from lakepact.generated.calls import given, segment
from lakepact.generated.contract import Call
from lakepact.generated.shelf.models import Change, Refusal

ANSWERS: dict[str, Any] = {
    "200": Change,
    "404": Refusal,
}
LINES = frozenset(["200"])


def call(
    *,
    shelf_id: str,
    x_since: int | None = None,
) -> Call[Change]:
    """Read what happened to a shelf.

    The answer is a sequence of lines; its model is that of one line.
    """
    return Call(
        operation="readLog",
        method="GET",
        path=f"/shelves/{segment(shelf_id)}/log",
        query=given(),
        headers=given(
            ("X-Since", x_since),
        ),
        content=None,
        answers=ANSWERS,
        lines=LINES,
    )
