"""The configuration that clients load first: endpoints, prefix, defaults and overrides."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from urllib.parse import unquote, urlsplit

from lakepact.reference_server.http.replies import Reply, json_reply
from lakepact.reference_server.iceberg_rest.extensions import VersionExtension
from lakepact.reference_server.iceberg_rest.identifiers import bad_request
from lakepact.reference_server.iceberg_rest.warehouses import ServedWarehouse


class Configuration:
    """The handler of getConfig.

    Args:
        endpoints: returns the endpoints offered for a warehouse, as the contract spells them;
            called at each request.
        warehouses: the warehouses of this server.
        newer: members that the served version of the contract adds.
    """

    def __init__(
        self,
        endpoints: Callable[[ServedWarehouse], list[str]],
        warehouses: Sequence[ServedWarehouse],
        newer: VersionExtension,
    ) -> None:
        self._endpoints = endpoints
        self._warehouses = warehouses
        self._newer = newer

    def get_config(self, *, warehouse: str | None = None) -> Reply:
        """Return defaults, overrides and endpoints of one warehouse."""
        match = self._find(warehouse)
        overrides = {**match.overrides, **({"prefix": match.prefix} if match.prefix else {})}
        answer = {
            "defaults": dict(match.defaults),
            "overrides": overrides,
            "endpoints": self._endpoints(match),
        }
        return json_reply({**answer, **self._newer.configuration})

    def _find(self, name: str | None) -> ServedWarehouse:
        if not name:
            if len(self._warehouses) > 1:
                raise bad_request(
                    "this server has several warehouses; say which with ?warehouse=NAME:"
                    f" {self._names()}"
                )
            return self._warehouses[0]
        for names in (_name_of, _names_of):
            for match in self._warehouses:
                if name.rstrip("/") in names(match):
                    return match
        only = (
            f"the only one is {self._names()}"
            if len(self._warehouses) == 1
            else f"there are {self._names()}"
        )
        raise self._newer.unknown_warehouse(f"there is no warehouse {name[:200]!r}; {only}")

    def _names(self) -> str:
        return ", ".join(
            repr(warehouse.name or warehouse.files.root) for warehouse in self._warehouses
        )


def _name_of(warehouse: ServedWarehouse) -> set[str]:
    return {warehouse.name} if warehouse.name else set[str]()


def _names_of(warehouse: ServedWarehouse) -> set[str]:
    """Return all that a warehouse is called by: its name, its prefix, its location and what ends
    it.
    """
    location = warehouse.files.root
    path = unquote(urlsplit(location).path)
    names = {warehouse.name or "", warehouse.prefix, unquote(warehouse.prefix), location, path}
    # With names of their own, warehouses are not called by those of their folders, which may be
    # another's name.
    return (names if warehouse.name else names | {path.rpartition("/")[2]}) - {""}
