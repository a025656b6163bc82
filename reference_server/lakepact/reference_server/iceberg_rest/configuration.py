"""What the catalog tells a client before anything else: what it offers, and how to address it."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from lakepact.reference_server.replies import Reply, json_reply

from .catalog import bad_request

if TYPE_CHECKING:
    from collections.abc import Callable


class Configuration:
    """The configuration operation of the contract.

    Args:
        endpoints: what is offered, as the contract spells it; asked for at each call, so that it is never older than the truth.
        warehouse: the location of the only warehouse.
        prefix: the path segments that clients must put behind `/v1/`, empty if none.
    """

    def __init__(self, endpoints: Callable[[], list[str]], *, warehouse: str, prefix: str) -> None:
        self._endpoints = endpoints
        self._warehouse = warehouse
        self._prefix = prefix

    def get_config(self, *, warehouse: str | None = None) -> Reply:
        """Defaults, overrides and endpoints."""
        if warehouse and not self._is_ours(warehouse):
            raise bad_request(f"there is no warehouse {warehouse[:200]!r}; the only one is {self._warehouse!r}")
        overrides = {"prefix": self._prefix} if self._prefix else {}
        return json_reply({"defaults": {}, "overrides": overrides, "endpoints": self._endpoints()})

    def _is_ours(self, name: str) -> bool:
        location = self._warehouse
        path = unquote(urlsplit(location).path)
        return name.rstrip("/") in {location, path, path.rpartition("/")[2], self._prefix} - {""}
