"""Addresses of watsonx.data catalogs, and names of their namespaces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakepact.client.iceberg_rest.names import levels
from lakepact.reach.urls import server_address

if TYPE_CHECKING:
    from lakepact.client.iceberg_rest.names import Levels

ROOT = "/mds/iceberg"


def catalog_address(host: str) -> str:
    """Return the address of the catalogs of an instance, given its host or its address.

    Raises:
        ValueError: It is neither, or holds credentials.
    """
    address = server_address(host if "://" in host else f"https://{host}")
    return address if address.endswith(ROOT) else f"{address}{ROOT}"


def one_level(namespace: Levels) -> str:
    """Return the only level of a namespace.

    Raises:
        ValueError: There is none, or more than one.
    """
    found = levels(namespace)
    if len(found) != 1:
        raise ValueError(f"namespaces of watsonx.data have exactly one level: {namespace!r}")
    return found[0]
