"""Addresses of watsonx.data catalogs, and names of their namespaces."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from lakepact.client.iceberg_rest.names import levels
from lakepact.reach.urls import server_address

if TYPE_CHECKING:
    from lakepact.client.iceberg_rest.names import Levels

ROOT = "/mds/iceberg"


def catalog_address(address: str) -> str:
    """Return the address of the catalogs of an instance, given its host or its address.

    Raises:
        ValueError: It is neither, or holds credentials.
    """
    address = server_address(address if "://" in address else f"https://{address}")
    return address if urlsplit(address).path else f"{address}{ROOT}"


def is_instance(address: str) -> bool:
    """Return whether an address ends with the base path of an instance."""
    return urlsplit(address).path.rstrip("/").endswith(ROOT)


def one_level(namespace: Levels) -> str:
    """Return the only level of a namespace.

    Raises:
        ValueError: There is none, or more than one.
    """
    parts = levels(namespace)
    if len(parts) != 1:
        raise ValueError(f"namespaces of watsonx.data have exactly one level: {namespace!r}")
    return parts[0]
