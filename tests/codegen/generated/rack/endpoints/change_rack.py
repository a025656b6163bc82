# Made by openapi-python-client 0.29.1 from the contract of rack 2, sha256 07672c7b9d2d18f7. Do not edit: nox -s generate
"""POST /racks/{rack-id}/books."""

from __future__ import annotations

from typing import Any

from lakepact.generated.calls import given, segment
from lakepact.generated.contract import Call
from lakepact.generated.rack.models import Change, Refusal

ANSWERS: dict[str, Any] = {
    "204": None,
    "409": Refusal,
    "5XX": Refusal,
}


def call(
    *,
    rack_id: str,
    body: Change | None = None,
) -> Call[None]:
    """Change a rack."""
    return Call(
        operation="changeRack",
        method="POST",
        path=f"/racks/{segment(rack_id)}/books",
        query=given(),
        headers=given(
            ("Content-Type", "application/json" if body is not None else None),
        ),
        content=body.to_json() if body is not None else None,
        answers=ANSWERS,
    )
