# Made by openapi-python-client 0.29.1 from the contract of iceberg_rest 1.12.0, sha256 99bc72bd968971a4. Do not edit: nox -s generate
"""POST /v1/oauth/tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakepact.generated.calls import Answers, Later, form, present_parameters
from lakepact.generated.contract import Call

if TYPE_CHECKING:
    from lakepact.generated.iceberg_rest.models import (
        OAuthTokenRequest,
        OAuthTokenResponse,
    )

ANSWERS = Answers(
    Later("lakepact.generated.iceberg_rest.models"),
    {
        "200": "OAuthTokenResponse",
        "400": "OAuthError",
        "401": "OAuthError",
        "5XX": "OAuthServerError",
    },
)


def call(
    *,
    body: OAuthTokenRequest,
) -> Call[OAuthTokenResponse]:
    """Obtain an access token by OAuth2 (deprecated, to be removed)."""
    return Call(
        operation="getToken",
        method="POST",
        path="/v1/oauth/tokens",
        query=present_parameters(),
        headers=present_parameters(
            ("Content-Type", "application/x-www-form-urlencoded"),
        ),
        content=form(body),
        answers=ANSWERS,
    )
