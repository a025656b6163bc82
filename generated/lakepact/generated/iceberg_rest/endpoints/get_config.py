# Made by openapi-python-client 0.29.1 from the contract of iceberg_rest 1.12.0, sha256 99bc72bd968971a4. Do not edit: nox -s generate
"""GET /v1/config."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakepact.generated.calls import Answers, Later, present_parameters
from lakepact.generated.contract import Call

if TYPE_CHECKING:
    from lakepact.generated.iceberg_rest.models import CatalogConfig

ANSWERS = Answers(
    Later("lakepact.generated.iceberg_rest.models"),
    {
        "200": "CatalogConfig",
        "400": "IcebergErrorResponse",
        "401": "IcebergErrorResponse",
        "403": "IcebergErrorResponse",
        "404": "IcebergErrorResponse",
        "419": "IcebergErrorResponse",
        "503": "IcebergErrorResponse",
        "5XX": "IcebergErrorResponse",
    },
)


def call(
    *,
    warehouse: str | None = None,
) -> Call[CatalogConfig]:
    """Load the configuration of the catalog."""
    return Call(
        operation="getConfig",
        method="GET",
        path="/v1/config",
        query=present_parameters(
            ("warehouse", warehouse),
        ),
        headers=present_parameters(),
        content=None,
        answers=ANSWERS,
    )
