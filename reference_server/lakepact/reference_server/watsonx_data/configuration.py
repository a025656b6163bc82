"""The configuration that clients load first: the warehouse's location."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lakepact.reference_server.http.replies import Reply, json_reply
from lakepact.reference_server.iceberg_rest.identifiers import bad_request


class Configuration:
    """The configuration operation of the contract.

    Args:
        endpoints: what is offered, as the contract spells it.
        operations: how many operations the contract has.
        catalog: the name of the only catalog, by which clients ask for it.
        warehouse: where it keeps its tables.
    """

    def __init__(self, endpoints: Callable[[], list[str]], *, operations: int, catalog: str, warehouse: str) -> None:
        self._endpoints = endpoints
        self._operations = operations
        self._catalog = catalog
        self._warehouse = warehouse

    def get_config(self, *, warehouse: str | None = None) -> Reply:
        """Return overrides and defaults; endpoints only if some are missing, since clients assume the contract's without them."""
        if warehouse and warehouse != self._catalog:
            raise bad_request(f"there is no catalog {warehouse[:200]!r}; the only one is {self._catalog!r}")
        answer: dict[str, Any] = {"overrides": {"warehouse": self._warehouse}, "defaults": {}}
        endpoints = self._endpoints()
        return json_reply(answer if len(endpoints) == self._operations else {**answer, "endpoints": endpoints})
