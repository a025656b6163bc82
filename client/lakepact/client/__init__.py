"""Typed clients of lakehouse catalogs.

The façades are loaded when they are first named: they bring the HTTP library and a contract's
models, and catching an error or building credentials needs neither.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from lakepact.client.errors import (
    AlreadyExists,
    BadReply,
    BadRequest,
    CommitRejected,
    Conflict,
    DamagedData,
    Forbidden,
    IncompleteCommit,
    LakepactError,
    LimitExceeded,
    NoSuchFunction,
    NoSuchNamespace,
    NoSuchPlan,
    NoSuchPlanTask,
    NoSuchSchema,
    NoSuchShare,
    NoSuchTable,
    NoSuchView,
    NotAllowed,
    NotAuthenticated,
    NotEmpty,
    NotFound,
    OperationNotSupported,
    OutcomeUnknown,
    PlanningFailed,
    QueryFailed,
    ResponseError,
    ServerError,
    Throttled,
    Unreachable,
    UntrustedOrigin,
    UpgradeNeeded,
)
from lakepact.client.retries import NO_RETRIES, Retries, Retry
from lakepact.reach.auth import Auth, BasicAuth, BearerToken, NoAuth, ZenApiKey
from lakepact.reach.client_credentials import ClientCredentials
from lakepact.reach.iam import IamApiKey
from lakepact.reach.token_exchange import TokenExchange
from lakepact.reach.wire import Reply

if TYPE_CHECKING:
    from lakepact.client.delta_sharing.asynchronous.client import AsyncSharingClient
    from lakepact.client.delta_sharing.profile import Profile
    from lakepact.client.delta_sharing.read_tasks import ReadTask
    from lakepact.client.delta_sharing.synchronous.client import SharingClient
    from lakepact.client.iceberg_rest.asynchronous.catalog import AsyncIcebergCatalog
    from lakepact.client.iceberg_rest.changes import TableChange
    from lakepact.client.iceberg_rest.pyiceberg_tables import pyiceberg_catalog, pyiceberg_table
    from lakepact.client.iceberg_rest.scans import ScanPlan, ScanTask
    from lakepact.client.iceberg_rest.storage import storage_credential, storage_properties
    from lakepact.client.iceberg_rest.synchronous.catalog import IcebergCatalog
    from lakepact.client.limits import Limits, Timeouts
    from lakepact.client.rows.predicates import column
    from lakepact.client.watsonx_data.asynchronous.catalog import AsyncWatsonxCatalog
    from lakepact.client.watsonx_data.synchronous.catalog import WatsonxCatalog
    from lakepact.reach.sigv4 import SigV4

__all__ = [
    "NO_RETRIES",
    "AlreadyExists",
    "AsyncIcebergCatalog",
    "AsyncSharingClient",
    "AsyncWatsonxCatalog",
    "Auth",
    "BadReply",
    "BadRequest",
    "BasicAuth",
    "BearerToken",
    "ClientCredentials",
    "CommitRejected",
    "Conflict",
    "DamagedData",
    "Forbidden",
    "IamApiKey",
    "IcebergCatalog",
    "IncompleteCommit",
    "LakepactError",
    "LimitExceeded",
    "Limits",
    "NoAuth",
    "NoSuchFunction",
    "NoSuchNamespace",
    "NoSuchPlan",
    "NoSuchPlanTask",
    "NoSuchSchema",
    "NoSuchShare",
    "NoSuchTable",
    "NoSuchView",
    "NotAllowed",
    "NotAuthenticated",
    "NotEmpty",
    "NotFound",
    "OperationNotSupported",
    "OutcomeUnknown",
    "PlanningFailed",
    "Profile",
    "QueryFailed",
    "ReadTask",
    "Reply",
    "ResponseError",
    "Retries",
    "Retry",
    "ScanPlan",
    "ScanTask",
    "ServerError",
    "SharingClient",
    "SigV4",
    "TableChange",
    "Throttled",
    "Timeouts",
    "TokenExchange",
    "Unreachable",
    "UntrustedOrigin",
    "UpgradeNeeded",
    "WatsonxCatalog",
    "ZenApiKey",
    "column",
    "pyiceberg_catalog",
    "pyiceberg_table",
    "storage_credential",
    "storage_properties",
]

_LOADED_LATER = {
    "AsyncSharingClient": "lakepact.client.delta_sharing.asynchronous.client",
    "AsyncIcebergCatalog": "lakepact.client.iceberg_rest.asynchronous.catalog",
    "IcebergCatalog": "lakepact.client.iceberg_rest.synchronous.catalog",
    "Limits": "lakepact.client.limits",
    "Profile": "lakepact.client.delta_sharing.profile",
    "ReadTask": "lakepact.client.delta_sharing.read_tasks",
    "ScanPlan": "lakepact.client.iceberg_rest.scans",
    "ScanTask": "lakepact.client.iceberg_rest.scans",
    "SharingClient": "lakepact.client.delta_sharing.synchronous.client",
    "SigV4": "lakepact.reach.sigv4",
    "TableChange": "lakepact.client.iceberg_rest.changes",
    "Timeouts": "lakepact.client.limits",
    "AsyncWatsonxCatalog": "lakepact.client.watsonx_data.asynchronous.catalog",
    "WatsonxCatalog": "lakepact.client.watsonx_data.synchronous.catalog",
    "column": "lakepact.client.rows.predicates",
    "pyiceberg_catalog": "lakepact.client.iceberg_rest.pyiceberg_tables",
    "pyiceberg_table": "lakepact.client.iceberg_rest.pyiceberg_tables",
    "storage_credential": "lakepact.client.iceberg_rest.storage",
    "storage_properties": "lakepact.client.iceberg_rest.storage",
}


def __getattr__(name: str) -> Any:
    if name not in _LOADED_LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return getattr(importlib.import_module(_LOADED_LATER[name]), name)
    except (
        AttributeError
    ) as error:  # `from lakepact.client import …` would say that there is no such name
        raise ImportError(f"{name} cannot be loaded: {error}", name=__name__) from error


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
