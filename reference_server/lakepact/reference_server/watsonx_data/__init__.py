"""The Iceberg REST catalog of watsonx.data: one catalog of an instance, with some rules of its
own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any
from urllib.parse import unquote

from lakepact.generated.contract import Contract, OperationId
from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.http.paging import page
from lakepact.reference_server.http.replies import Reply, json_reply
from lakepact.reference_server.http.service import Handler, Scope, Service
from lakepact.reference_server.http.service import Rules as ServiceRules
from lakepact.reference_server.iceberg_rest.documents import Document
from lakepact.reference_server.iceberg_rest.identifiers import bad_request
from lakepact.reference_server.iceberg_rest.index_entries import CatalogIndex
from lakepact.reference_server.iceberg_rest.namespaces import levels_are_addressable
from lakepact.reference_server.iceberg_rest.tables.catalog import Catalog, default_location
from lakepact.reference_server.iceberg_rest.warehouses import ServedWarehouse
from lakepact.reference_server.iceberg_rest.wiring import Catalogs
from lakepact.reference_server.settings import BadSetting, Settings
from lakepact.reference_server.warehouse.local import warehouse
from lakepact.reference_server.watsonx_data.credentials import Doorkeeper, read_credentials

ROOT = "/mds/iceberg"
ACCOUNT_ROOT = "/api/v1/iceberg"  #: of an instance with account scope
CATALOG = "iceberg"  #: the catalog's name where the settings give none


class Configuration:
    """The configuration operation of the contract.

    Args:
        endpoints: what is offered, as the contract spells it.
        operations: how many operations the contract has.
        prefix: that of the only catalog: its name, by which clients ask for it, as it is in a path.
        warehouse: where it keeps its tables.
    """

    def __init__(
        self, endpoints: Callable[[], list[str]], *, operations: int, prefix: str, warehouse: str
    ) -> None:
        self._endpoints = endpoints
        self._operations = operations
        self._prefix, self._catalog = prefix, unquote(prefix)
        self._warehouse = warehouse

    def get_config(self, *, warehouse: str | None = None) -> Reply:
        """Return overrides and defaults; endpoints only if some are missing, since clients assume
        the contract's without them.
        """
        if warehouse and warehouse != self._catalog:
            raise bad_request(
                f"there is no catalog {warehouse[:200]!r}; the only one is {self._catalog!r}"
            )
        overrides = {"warehouse": self._warehouse, "prefix": self._prefix}
        answer: dict[str, Any] = {"overrides": overrides, "defaults": {}}
        endpoints = self._endpoints()
        return json_reply(
            answer if len(endpoints) == self._operations else {**answer, "endpoints": endpoints}
        )


def one_level(levels: Sequence[str]) -> None:
    """Check that a namespace has one level and can be addressed in a path."""
    if len(levels) != 1:
        raise bad_request(
            f"at /namespace: a namespace has exactly one level here, not {len(levels)}"
        )
    levels_are_addressable(levels)


def locate_namespace(properties: dict[str, str], location: str) -> None:
    """Set `storage_location` of a namespace that requests none."""
    properties.setdefault("storage_location", location)


def location_below_namespace(
    catalog: Catalog, namespace: Document, *, levels: Sequence[str], name: str
) -> str:
    """Return the default location of a table: below the storage_location of its namespace."""
    lies = {"location": namespace["properties"].get("storage_location", "")}
    return default_location(catalog, {"properties": lies}, levels=levels, name=name)


def page_of_any_size(
    records: Callable[..., Any], listing: str, *, after: str | None, size: int | None
) -> Any:
    """Return one page; a size of 0 is no size."""
    return page(records, listing, after=after, size=size or None)


def never_over_another(register: Handler) -> Handler:
    """Return the handler that registers tables, without the body member that the contract does not
    have.
    """

    def register_without(*, namespace: str, body: dict[str, Any]) -> Reply:
        return register(
            namespace=namespace,
            body={name: value for name, value in body.items() if name != "overwrite"},
        )

    return register_without


#: The rules of an instance, in the places of those of Iceberg REST.
INSTANCE_RULES: Mapping[str, Callable[..., Any]] = {
    "levels_are_addressable": one_level,
    "locate_namespace": locate_namespace,
    "default_location": location_below_namespace,
    "page": page_of_any_size,
}


class Rules(ServiceRules):
    """Decisions about callers that a fault may replace."""

    enter = staticmethod(Doorkeeper(None).enter)


def service(settings: Settings, beside: Mapping[str, Service]) -> Service:  # noqa: ARG001 - it needs no other service
    """Return an empty catalog with its own store and warehouse.

    Raises:
        BadSetting: the prefix is no name of a catalog, or the file of credentials is not one.
    """
    contract = Contract("watsonx_data")
    prefix = settings.prefix or CATALOG
    if "/" in prefix:
        raise BadSetting(f"the prefix {prefix!r} is not the name of one catalog: it holds a slash")

    entry = ServedWarehouse(
        warehouse(settings.warehouse, allowed=settings.allowed_locations), prefix=prefix
    )

    def configuration(endpoints: Callable[[ServedWarehouse], list[str]]) -> Configuration:
        list_endpoints = partial(endpoints, entry)
        return Configuration(
            list_endpoints,
            operations=len(contract.operations),
            prefix=prefix,
            warehouse=entry.files.root,
        )

    rules = Rules()
    credentials = read_credentials(settings.credentials) if settings.credentials else None
    root = ACCOUNT_ROOT if credentials and credentials.account else ROOT
    result = Catalogs(contract, settings, (entry,), rules=(rules,)).serve(configuration, root)
    for name, rule in INSTANCE_RULES.items():
        result.rules.replace(name, rule)
    result.handlers[op.register_table] = never_over_another(result.handlers[op.register_table])
    result.rules.replace("enter", Doorkeeper(credentials).enter)
    result.authenticates = credentials is not None
    result.index = CatalogIndex(
        root, [prefix], warehouse=unquote(prefix), needs_token=result.authenticates
    )
    if credentials is not None:
        # the index page needs no credentials: it does not show the warehouse's folder
        result.about = ()

    def authenticate(_: OperationId, scope: Scope) -> dict[str, Any]:
        rules.enter(scope)
        return {}

    result.rules.replace("authenticate", authenticate)
    return result
