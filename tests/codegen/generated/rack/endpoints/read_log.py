# Made by openapi-python-client 0.29.1 from the contract of rack 2, sha256 07672c7b9d2d18f7. Do not edit: nox -s generate
"""GET /racks/{rack-id}/log."""

from __future__ import annotations

from typing import Any

from lakepact.generated.calls import given, segment
from lakepact.generated.contract import Call
from lakepact.generated.rack.models import Change, Refusal

ANSWERS: dict[str, Any] = {
    "200": Change,
    "404": Refusal,
}
LINES = frozenset(["200"])


def call(
    *,
    rack_id: str,
    x_since: int | None = None,
) -> Call[Change]:
    """Read what happened to a rack.

    The answer is a sequence of lines; its model is that of one line.
    """
    return Call(
        operation="readLog",
        method="GET",
        path=f"/racks/{segment(rack_id)}/log",
        query=given(),
        headers=given(
            ("X-Since", x_since),
        ),
        content=None,
        answers=ANSWERS,
        lines=LINES,
    )
