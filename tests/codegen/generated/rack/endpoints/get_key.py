# Made by openapi-python-client 0.29.1 from the contract of rack 2, sha256 07672c7b9d2d18f7. Do not edit: nox -s generate
"""POST /keys."""

from __future__ import annotations

from typing import Any

from lakepact.generated.calls import form, given
from lakepact.generated.contract import Call
from lakepact.generated.rack.models import Key, KeyRequest

ANSWERS: dict[str, Any] = {
    "200": Key,
}


def call(
    *,
    body: KeyRequest,
) -> Call[Key]:
    """Get a key."""
    return Call(
        operation="getKey",
        method="POST",
        path="/keys",
        query=given(),
        headers=given(
            ("Content-Type", "application/x-www-form-urlencoded"),
        ),
        content=form(body),
        answers=ANSWERS,
    )
