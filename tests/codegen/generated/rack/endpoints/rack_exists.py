# Made by openapi-python-client 0.29.1 from the contract of rack 2, sha256 07672c7b9d2d18f7. Do not edit: nox -s generate
"""HEAD /racks/{rack-id}/books."""

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
    rack_id: str,
) -> Call[None]:
    """Ask whether there is a rack."""
    return Call(
        operation="rackExists",
        method="HEAD",
        path=f"/racks/{segment(rack_id)}/books",
        query=given(),
        headers=given(),
        content=None,
        answers=ANSWERS,
    )
