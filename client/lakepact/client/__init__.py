"""Typed clients of lakehouse catalogs.

The façades are loaded when they are first named: they bring the HTTP library and a contract's models, and catching an error or
building credentials needs neither.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from lakepact.client.auth import Auth, BasicAuth, BearerToken, NoAuth
from lakepact.client.client_credentials import ClientCredentials
from lakepact.client.errors import (
    AlreadyExists,
    BadReply,
    BadRequest,
    CommitRejected,
    Conflict,
    ContractClientError,
    DamagedData,
    Forbidden,
    NoSuchNamespace,
    NoSuchSchema,
    NoSuchShare,
    NoSuchTable,
    NoSuchView,
    NotAllowed,
    NotAuthenticated,
    NotEmpty,
    NotFound,
    NotOffered,
    OutcomeUnknown,
    QueryFailed,
    Refused,
    ServerTrouble,
    Throttled,
    Unreachable,
    UpgradeNeeded,
)
from lakepact.client.retries import NO_RETRIES, Retries

if TYPE_CHECKING:
    from lakepact.client.iceberg_rest.asynchronous.catalog import AsyncIcebergCatalog
    from lakepact.client.iceberg_rest.synchronous.catalog import IcebergCatalog
    from lakepact.client.transport import Timeouts

__all__ = [
    "NO_RETRIES",
    "AlreadyExists",
    "AsyncIcebergCatalog",
    "Auth",
    "BadReply",
    "BadRequest",
    "BasicAuth",
    "BearerToken",
    "ClientCredentials",
    "CommitRejected",
    "Conflict",
    "ContractClientError",
    "DamagedData",
    "Forbidden",
    "IcebergCatalog",
    "NoAuth",
    "NoSuchNamespace",
    "NoSuchSchema",
    "NoSuchShare",
    "NoSuchTable",
    "NoSuchView",
    "NotAllowed",
    "NotAuthenticated",
    "NotEmpty",
    "NotFound",
    "NotOffered",
    "OutcomeUnknown",
    "QueryFailed",
    "Refused",
    "Retries",
    "ServerTrouble",
    "Throttled",
    "Timeouts",
    "Unreachable",
    "UpgradeNeeded",
]

_LOADED_LATER = {
    "AsyncIcebergCatalog": "lakepact.client.iceberg_rest.asynchronous.catalog",
    "IcebergCatalog": "lakepact.client.iceberg_rest.synchronous.catalog",
    "Timeouts": "lakepact.client.transport",
}


def __getattr__(name: str) -> Any:
    if name not in _LOADED_LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_LOADED_LATER[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
